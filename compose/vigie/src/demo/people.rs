use vocabulary::Role;

/// Password of every demonstration account.
pub const PASSWORD: &str = "Vigie-demo-1";

/// Somebody who can sign in.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// The address to sign in with.
    pub email: &'static str,
    /// First name.
    pub first_name: &'static str,
    /// Last name.
    pub last_name: &'static str,
    /// Slug of the company account.
    pub company: Option<&'static str>,
    /// Its role; none is a company user.
    pub role: Option<Role>,
}

/// One account of each role, and one of each company.
pub const fn accounts() -> &'static [Account; 4] {
    &[
        Account {
            email: "admin@vigie.example",
            first_name: "Demo",
            last_name: "Administrator",
            company: None,
            role: Some(Role::Admin),
        },
        Account {
            email: "operator@vigie.example",
            first_name: "Demo",
            last_name: "Operator",
            company: None,
            role: Some(Role::Operator),
        },
        Account {
            email: "user@brivault.example",
            first_name: "Demo user",
            last_name: "Brivault",
            company: Some("brivault-group"),
            role: None,
        },
        Account {
            email: "user@kestrel.example",
            first_name: "Demo user",
            last_name: "Kestrel",
            company: Some("kestrel-retail"),
            role: None,
        },
    ]
}
