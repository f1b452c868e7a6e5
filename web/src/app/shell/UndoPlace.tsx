import { useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '~/ui/lazyPart';
import { undoOffer } from '~/ui/undo';

const UndoBar = lazyPart(() => import('~/ui/UndoBar').then((module) => module.UndoBar));

/** The bar that offers to undo, on whatever screen the reader is meanwhile. What it offers is announced. */
export function UndoPlace() {
  const { t } = useTranslation('common');
  const offer = useSyncExternalStore(undoOffer.subscribe, undoOffer.get);
  return (
    <>
      <div className="visually-hidden" role="status">
        {offer && t('undo.offer')}
      </div>
      {offer && <UndoBar key={offer.operation} offer={offer} />}
    </>
  );
}
