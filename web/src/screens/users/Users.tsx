import { ListScreen } from '~/list/ListScreen';
import { users } from './def';

export function Users() {
  return <ListScreen def={users} />;
}
