/** The sides of the picture that is sent, in pixels. */
export const SIDE = 80;
const QUALITY = 0.92;

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** A part of an image as a JPEG of 80 by 80; what is transparent becomes white. */
export async function squareOf(source: string, area: Area): Promise<Blob> {
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
