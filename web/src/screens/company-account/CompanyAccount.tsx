import { ListScreen } from '~/list/ListScreen';
import { companies } from './def';

export function CompanyAccount() {
  return <ListScreen def={companies} />;
}
