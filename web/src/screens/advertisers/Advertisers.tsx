import { ListScreen } from '~/list/ListScreen';
import { advertisers } from './def';

export function Advertisers() {
  return <ListScreen def={advertisers} />;
}
