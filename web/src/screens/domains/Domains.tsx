import { ListScreen } from '~/list/ListScreen';
import { domains } from './def';

export function Domains() {
  return <ListScreen def={domains} />;
}
