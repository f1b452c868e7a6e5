import { useQuery } from '@tanstack/react-query';
import { cardPeopleQuery } from '~/api/queries/presence';
import { People } from '~/monitoring/cases/People';

/** The side of a picture in pixels. */
const PICTURE = 20;

/** The others on the page of a case, on its card. */
export function CardPeople({ id }: { id: string }) {
  const { data: people } = useQuery(cardPeopleQuery(id));
  return people && <People people={people} size={PICTURE} />;
}
