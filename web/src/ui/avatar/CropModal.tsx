import { Button, Group, Modal, Slider, Text } from '@mantine/core';
import { useState } from 'react';
import type { Area } from 'react-easy-crop';
import Cropper from 'react-easy-crop';
import { useTranslation } from 'react-i18next';
import { toast } from '../toast';
import { useReturnFocus } from '../useReturnFocus';
import styles from './avatar.module.css';
import 'react-easy-crop/react-easy-crop.css';

const MAX_ZOOM = 4;
const ZOOM_STEP = 0.05;
/** In pixels per arrow key press. */
const KEYBOARD_STEP = 10;

interface Props {
  /** URL of the image. */
  source: string;
  onCropped(picture: Blob): void;
  onClose(): void;
}

/**
 * Lets the user crop an image to a square; `onCropped` gets it as a JPEG of 80 × 80 px and has to close the modal. An image that cannot be decoded
 * shows a toast.
 */
export function CropModal({ source, onCropped, onClose }: Props) {
  useReturnFocus();
  const { t } = useTranslation('avatar');
  const common = useTranslation('common').t;
  const [crop, setCrop] = useState({ x: 0, y: 0 });
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<Area | null>(null);
  const [working, setWorking] = useState(false);

  const submit = async () => {
    if (!area) return;
    setWorking(true);
    try {
      onCropped(await squareOf(source, area));
    } catch {
      toast.warning(t('notImage'));
      setWorking(false);
    }
  };

  return (
    <Modal
      opened
      onClose={onClose}
      title={t('crop')}
      centered
      size={460}
      closeButtonProps={{ 'aria-label': common('close') }}
    >
      <div className={styles.stage}>
        <Cropper
          image={source}
          crop={crop}
          zoom={zoom}
          maxZoom={MAX_ZOOM}
          aspect={1}
          cropShape="round"
          showGrid={false}
          keyboardStep={KEYBOARD_STEP}
          disableAutomaticStylesInjection
          onCropChange={setCrop}
          onZoomChange={setZoom}
          onCropComplete={(_, pixels) => setArea(pixels)}
          cropperProps={{ 'aria-label': t('move') }}
        />
      </div>
      <Text size="sm" mt="md" mb={4} id="avatar-zoom">
        {t('zoom')}
      </Text>
      <Slider
        min={1}
        max={MAX_ZOOM}
        step={ZOOM_STEP}
        value={zoom}
        onChange={setZoom}
        label={null}
        thumbProps={{ 'aria-labelledby': 'avatar-zoom' }}
      />
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          {common('cancel')}
        </Button>
        <Button onClick={submit} loading={working} disabled={!area}>
          {t('submit')}
        </Button>
      </Group>
    </Modal>
  );
}

/** Side of the uploaded picture, in pixels. */
const SIDE = 80;
const QUALITY = 0.92;

interface Square {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The `area` of the image at the URL `source`, scaled to a JPEG of 80 × 80 px on white. Rejects if the image cannot be decoded or written. */
async function squareOf(source: string, area: Square): Promise<Blob> {
  const image = new Image();
  image.src = source;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = SIDE;
  canvas.height = SIDE;
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no pictures');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, SIDE, SIDE);
  context.imageSmoothingQuality = 'high';
  context.drawImage(image, area.x, area.y, area.width, area.height, 0, 0, SIDE, SIDE);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (!blob) throw new Error('the picture could not be written');
  return blob;
}
