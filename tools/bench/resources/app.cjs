// The peer: a LoopBack 3 application as one writes it, with the terms, brands and localizations of the same database, and with users,
// sessions and roles of its own beside them. Only administrators may read, as the product looks up with every request who asks.
//   POSTGRES_URL=… node app.cjs    prints its address and the token of an administrator
const loopback = require('loopback');

const app = loopback();
const db = app.dataSource('db', {
  connector: require('loopback-connector-postgresql'),
  url: process.env.POSTGRES_URL,
  // As many as the product has.
  max: 10,
});

const column = (columnName, type) => ({ type, postgresql: { columnName } });
const id = { type: 'number', id: true, generated: true };

const ONLY_ADMINISTRATORS = [
  { accessType: '*', principalType: 'ROLE', principalId: '$everyone', permission: 'DENY' },
  { accessType: '*', principalType: 'ROLE', principalId: 'admin', permission: 'ALLOW' },
];

function model(name, table, plural, properties, relations = {}) {
  const made = loopback.createModel(name, { id, ...properties }, { plural, postgresql: { table }, relations, acls: ONLY_ADMINISTRATORS });
  app.model(made, { dataSource: db });
}

/** Tables of the peer's own; answers the token of somebody who is signed in. */
async function administrator() {
  const { AccessToken, ACL, Role, RoleMapping, User } = loopback;
  const accounts = app.dataSource('accounts', { ...db.settings, schema: 'peer' });
  for (const builtIn of [User, AccessToken, Role, RoleMapping, ACL]) app.model(builtIn, { dataSource: accounts, public: builtIn === User });
  await accounts.automigrate();
  app.enableAuth();
  const user = await User.create({ email: 'peer@vigie.example', password: 'Bench-vigie-1!' });
  const role = await Role.create({ name: 'admin' });
  await role.principals.create({ principalType: RoleMapping.USER, principalId: user.id });
  return (await user.createAccessToken({})).id;
}

model('Brand', 'brand', 'Brands', {
  label: 'string',
  name: 'string',
  autoMatchRegExp: column('auto_match_reg_exp', 'string'),
  validated: 'boolean',
  createNotification: column('create_notification', 'boolean'),
  totalViews: column('total_views', 'number'),
});
model('Localization', 'localization', 'Localizations', { locale: 'string', city: 'string', language: 'string', country: 'object' });
model(
  'Term',
  'term',
  'Terms',
  {
    term: 'string',
    keywordType: column('keyword_type', 'string'),
    every: 'number',
    engine: 'string',
    state: 'string',
    region: 'string',
    localizationId: column('localization_id', 'number'),
    options: 'object',
    searchConvertRate: column('search_convert_rate', 'number'),
    brandId: column('brand_id', 'number'),
    createdDate: column('created_date', 'date'),
    updatedDate: column('updated_date', 'date'),
  },
  {
    brand: { type: 'belongsTo', model: 'Brand', foreignKey: 'brandId' },
    localization: { type: 'belongsTo', model: 'Localization', foreignKey: 'localizationId' },
  },
);

administrator().then((token) => {
  app.use(loopback.token());
  app.use('/api', loopback.rest());
  const server = app.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port} ${token}`));
});
