-- The texts of mails to the holders of accounts come with the program (libs/texts). Templates remain for mails to others.
delete from email_template where type in ('reset', 'verify', 'account', 'password');
alter table email_template
    drop constraint email_template_type_check,
    add constraint email_template_type_check check (type in ('notification', 'reminder', 'alert'));
