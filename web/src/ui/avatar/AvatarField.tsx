import { Button, FileButton, Group, Text } from '@mantine/core';
import { IconPhotoUp } from '@tabler/icons-react';
import { type DragEvent, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../lazyPart';
import { toast } from '../toast';
import { UserAvatar } from '../UserAvatar';
import styles from './avatar.module.css';

const CropModal = lazyPart(() => import('./CropModal').then((module) => module.CropModal), { texts: ['avatar'] });

const SHOWN_SIDE = 80;

interface Props {
  /** Name of the user. */
  name: string;
  /** File id of the stored picture. */
  avatarId: string | null;
  /** The picture chosen, not stored yet. */
  picked: Blob | null;
  onPick(picture: Blob): void;
}

/**
 * The picture of a user: choose or drop an image, then crop it to a square, which `onPick` gets; nothing is uploaded. A file that the browser
 * cannot decode is refused with a toast.
 */
export function AvatarField({ name, avatarId, picked, onPick }: Props) {
  const { t } = useTranslation('avatar');
  const [source, setSource] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  const shown = useObjectUrl(picked);

  const take = async (file: File | null | undefined) => {
    if (!file) return;
    // The browser must be able to decode it: the declared type proves nothing.
    const drawn = await createImageBitmap(file).catch(() => null);
    if (!drawn) {
      toast.warning(t('notImage'));
      return;
    }
    drawn.close();
    setSource(URL.createObjectURL(file));
  };

  const close = () => {
    if (source) URL.revokeObjectURL(source);
    setSource(null);
  };

  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };

  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a row in every browser
    <div
      role="group"
      aria-label={t('label')}
      className={styles.field}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      {shown ? (
        <img className={styles.picked} src={shown} alt={t('picked')} width={SHOWN_SIDE} height={SHOWN_SIDE} />
      ) : (
        <UserAvatar name={name} avatarId={avatarId} size={SHOWN_SIDE} />
      )}
      <div>
        <Group gap="xs">
          <FileButton accept="image/png,image/jpeg,image/webp,image/gif" onChange={take}>
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconPhotoUp size={16} />}>
                {t('choose')}
              </Button>
            )}
          </FileButton>
        </Group>
        <Text size="sm" c="dimmed" mt={6}>
          {t('drop')}
        </Text>
      </div>
      {source && (
        <CropModal
          source={source}
          onClose={close}
          onCropped={(picture) => {
            onPick(picture);
            close();
          }}
        />
      )}
    </div>
  );
}

/** An object URL for a picture, revoked when the picture changes or the component unmounts; `null` without a picture and on the first render. */
function useObjectUrl(picture: Blob | null): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (!picture) {
      setAddress(null);
      return;
    }
    const made = URL.createObjectURL(picture);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [picture]);
  return address;
}
