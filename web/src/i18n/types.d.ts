import 'i18next';
import type actions from '../../../libs/texts/en/actions.json';
import type advertisers from '../../../libs/texts/en/advertisers.json';
import type avatar from '../../../libs/texts/en/avatar.json';
import type brands from '../../../libs/texts/en/brands.json';
import type capacity from '../../../libs/texts/en/capacity.json';
import type capture from '../../../libs/texts/en/capture.json';
import type common from '../../../libs/texts/en/common.json';
import type companies from '../../../libs/texts/en/companies.json';
import type domains from '../../../libs/texts/en/domains.json';
import type history from '../../../libs/texts/en/history.json';
import type home from '../../../libs/texts/en/home.json';
import type list from '../../../libs/texts/en/list.json';
import type login from '../../../libs/texts/en/login.json';
import type market from '../../../libs/texts/en/market.json';
import type monitoring from '../../../libs/texts/en/monitoring.json';
import type operations from '../../../libs/texts/en/operations.json';
import type password from '../../../libs/texts/en/password.json';
import type portal from '../../../libs/texts/en/portal.json';
import type profile from '../../../libs/texts/en/profile.json';
import type settingTerms from '../../../libs/texts/en/settingTerms.json';
import type start from '../../../libs/texts/en/start.json';
import type tags from '../../../libs/texts/en/tags.json';
import type terms from '../../../libs/texts/en/terms.json';
import type users from '../../../libs/texts/en/users.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      actions: typeof actions;
      advertisers: typeof advertisers;
      avatar: typeof avatar;
      brands: typeof brands;
      capacity: typeof capacity;
      capture: typeof capture;
      common: typeof common;
      companies: typeof companies;
      domains: typeof domains;
      history: typeof history;
      home: typeof home;
      list: typeof list;
      login: typeof login;
      market: typeof market;
      monitoring: typeof monitoring;
      operations: typeof operations;
      password: typeof password;
      portal: typeof portal;
      profile: typeof profile;
      start: typeof start;
      tags: typeof tags;
      settingTerms: typeof settingTerms;
      terms: typeof terms;
      users: typeof users;
    };
  }
}
