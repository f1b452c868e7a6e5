import { ListScreen } from '~/list/ListScreen';
import { terms } from './def';

export function Terms() {
  return <ListScreen def={terms} />;
}
