import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { cleanup, render } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { page } from 'vitest/browser';
import { i18next, startTexts } from '~/i18n';
import { theme } from '~/ui/theme';
import { toast } from '~/ui/toast';
import '~/ui/styles.css';
import { AvatarField } from './AvatarField';

const picked = vi.fn<(picture: Blob) => void>();

function Field() {
  const [picture, setPicture] = useState<Blob | null>(null);
  return (
    <AvatarField
      name="Ann Durand"
      avatarId={null}
      picked={picture}
      onPick={(one) => {
        picked(one);
        setPicture(one);
      }}
    />
  );
}

function show() {
  render(
    <MantineProvider theme={theme}>
      <Notifications position="top-right" />
      <Field />
    </MantineProvider>,
  );
}

/** Landscape, red on the left and blue on the right. */
async function photo(): Promise<File> {
  const canvas = new OffscreenCanvas(600, 300);
  const context = canvas.getContext('2d');
  if (!context) throw new Error('this browser draws no pictures');
  context.fillStyle = 'red';
  context.fillRect(0, 0, 300, 300);
  context.fillStyle = 'blue';
  context.fillRect(300, 0, 300, 300);
  return new File([await canvas.convertToBlob({ type: 'image/png' })], 'me.png', { type: 'image/png' });
}

function drop(file: File): void {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(file);
  const field = page.getByRole('group', { name: 'Picture' }).element();
  field.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
}

beforeAll(async () => {
  await startTexts();
  await i18next.changeLanguage('en');
  await i18next.loadNamespaces(['avatar']);
});

afterEach(() => {
  picked.mockReset();
  toast.clear();
  cleanup();
});

describe('the picture of a user', () => {
  it('is cut to a square of 80 by 80 out of the middle of what was dropped', async () => {
    show();
    drop(await photo());
    await page.getByRole('dialog', { name: 'Cut a square' }).getByRole('button', { name: 'Use this picture' }).click();
    await expect.element(page.getByRole('img', { name: 'The picture that was chosen' })).toBeVisible();
    const picture = picked.mock.calls[0]?.[0] ?? new Blob();
    expect(picture.type).toBe('image/jpeg');
    const drawn = await createImageBitmap(picture);
    expect([drawn.width, drawn.height]).toEqual([80, 80]);
    const context = new OffscreenCanvas(80, 80).getContext('2d');
    context?.drawImage(drawn, 0, 0);
    const [left, right] = [10, 70].map((x) => context?.getImageData(x, 40, 1, 1).data);
    expect([left?.[0], right?.[2]]).toEqual([expect.closeTo(254, -1), expect.closeTo(254, -1)]);
  });

  it('stays as it was when cutting is cancelled', async () => {
    show();
    drop(await photo());
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
    expect(picked).not.toHaveBeenCalled();
  });

  it('is refused when it is no image, whatever it calls itself', async () => {
    show();
    drop(new File(['<svg onload="alert(1)"/>'], 'me.png', { type: 'image/png' }));
    await expect.element(page.getByText('This is not an image.')).toBeVisible();
    expect(picked).not.toHaveBeenCalled();
  });
});
