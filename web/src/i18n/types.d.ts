import 'i18next';
import type advertisers from './en/advertisers.json';
import type avatar from './en/avatar.json';
import type capture from './en/capture.json';
import type common from './en/common.json';
import type companies from './en/companies.json';
import type domains from './en/domains.json';
import type home from './en/home.json';
import type list from './en/list.json';
import type login from './en/login.json';
import type market from './en/market.json';
import type monitoring from './en/monitoring.json';
import type operations from './en/operations.json';
import type password from './en/password.json';
import type portal from './en/portal.json';
import type profile from './en/profile.json';
import type terms from './en/terms.json';
import type users from './en/users.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      advertisers: typeof advertisers;
      avatar: typeof avatar;
      capture: typeof capture;
      common: typeof common;
      companies: typeof companies;
      domains: typeof domains;
      home: typeof home;
      list: typeof list;
      login: typeof login;
      market: typeof market;
      monitoring: typeof monitoring;
      operations: typeof operations;
      password: typeof password;
      portal: typeof portal;
      profile: typeof profile;
      terms: typeof terms;
      users: typeof users;
    };
  }
}
