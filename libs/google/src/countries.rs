//! Codes of countries: Search Console takes three letters.

/// ISO 3166-1: two letters and three, in the order of the former.
const CODES: &str = "AD:and AE:are AF:afg AG:atg AI:aia AL:alb AM:arm AO:ago AQ:ata AR:arg AS:asm AT:aut AU:aus AW:abw AX:ala AZ:aze BA:bih BB:brb \
BD:bgd BE:bel BF:bfa BG:bgr BH:bhr BI:bdi BJ:ben BL:blm BM:bmu BN:brn BO:bol BQ:bes BR:bra BS:bhs BT:btn BV:bvt BW:bwa BY:blr BZ:blz CA:can CC:cck \
CD:cod CF:caf CG:cog CH:che CI:civ CK:cok CL:chl CM:cmr CN:chn CO:col CR:cri CU:cub CV:cpv CW:cuw CX:cxr CY:cyp CZ:cze DE:deu DJ:dji DK:dnk DM:dma \
DO:dom DZ:dza EC:ecu EE:est EG:egy EH:esh ER:eri ES:esp ET:eth FI:fin FJ:fji FK:flk FM:fsm FO:fro FR:fra GA:gab GB:gbr GD:grd GE:geo GF:guf GG:ggy \
GH:gha GI:gib GL:grl GM:gmb GN:gin GP:glp GQ:gnq GR:grc GS:sgs GT:gtm GU:gum GW:gnb GY:guy HK:hkg HM:hmd HN:hnd HR:hrv HT:hti HU:hun ID:idn IE:irl \
IL:isr IM:imn IN:ind IO:iot IQ:irq IR:irn IS:isl IT:ita JE:jey JM:jam JO:jor JP:jpn KE:ken KG:kgz KH:khm KI:kir KM:com KN:kna KP:prk KR:kor KW:kwt \
KY:cym KZ:kaz LA:lao LB:lbn LC:lca LI:lie LK:lka LR:lbr LS:lso LT:ltu LU:lux LV:lva LY:lby MA:mar MC:mco MD:mda ME:mne MF:maf MG:mdg MH:mhl MK:mkd \
ML:mli MM:mmr MN:mng MO:mac MP:mnp MQ:mtq MR:mrt MS:msr MT:mlt MU:mus MV:mdv MW:mwi MX:mex MY:mys MZ:moz NA:nam NC:ncl NE:ner NF:nfk NG:nga NI:nic \
NL:nld NO:nor NP:npl NR:nru NU:niu NZ:nzl OM:omn PA:pan PE:per PF:pyf PG:png PH:phl PK:pak PL:pol PM:spm PN:pcn PR:pri PS:pse PT:prt PW:plw PY:pry \
QA:qat RE:reu RO:rou RS:srb RU:rus RW:rwa SA:sau SB:slb SC:syc SD:sdn SE:swe SG:sgp SH:shn SI:svn SJ:sjm SK:svk SL:sle SM:smr SN:sen SO:som SR:sur \
SS:ssd ST:stp SV:slv SX:sxm SY:syr SZ:swz TC:tca TD:tcd TF:atf TG:tgo TH:tha TJ:tjk TK:tkl TL:tls TM:tkm TN:tun TO:ton TR:tur TT:tto TV:tuv TW:twn \
TZ:tza UA:ukr UG:uga UM:umi US:usa UY:ury UZ:uzb VA:vat VC:vct VE:ven VG:vgb VI:vir VN:vnm VU:vut WF:wlf WS:wsm YE:yem YT:myt ZA:zaf ZM:zmb ZW:zwe";

/// The three letters, in small ones, of a country's two; `None` for no country.
pub fn alpha_3(two: &str) -> Option<&'static str> {
    let found = CODES.split_whitespace().filter_map(|pair| pair.split_once(':'));
    found.into_iter().find(|(code, _)| *code == two).map(|(_, three)| three)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_has_a_code_of_its_own() {
        let mut all: Vec<&str> = CODES.split_whitespace().map(|pair| &pair[3..]).collect();
        assert_eq!(all.len(), 249);
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 249);
        assert!(all.iter().all(|code| code.len() == 3));
        assert_eq!(
            (alpha_3("FR"), alpha_3("CH"), alpha_3("XX")),
            (Some("fra"), Some("che"), None)
        );
    }
}
