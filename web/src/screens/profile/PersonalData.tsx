import { Button, Group, Input, SegmentedControl, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { uploadAvatar } from '~/api/queries/account';
import { changeNames, fullName, meQuery, useMe } from '~/api/session';
import { asLanguage, LANGUAGES, type Language } from '~/i18n/language';
import { ErrorList } from '~/ui/authForm';
import { AvatarField } from '~/ui/avatar/AvatarField';
import { errorText } from '~/ui/errorText';
import { KeySwitch } from '~/ui/KeySwitch';
import { toast } from '~/ui/toast';
import styles from './Profile.module.css';

/** The server's limit. */
const MAX_NAME_LENGTH = 255;
const LANGUAGE_NAMES: Record<Language, string> = { en: 'English', fr: 'Français' };

/**
 * The form for the user's own picture, names and language, with the e-mail address, which cannot be changed here. If the upload of the picture
 * fails, a toast says so and the rest is saved. The language is applied through `lng` in the address.
 */
export function PersonalData() {
  const { t, i18n } = useTranslation('profile');
  const common = useTranslation('common').t;
  const avatar = useTranslation('avatar').t;
  const me = useMe();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const languageLabel = useId();

  const [picture, setPicture] = useState<Blob | null>(null);

  /** A failed upload shows a toast; the names are still saved. */
  const upload = (picked: Blob) =>
    uploadAvatar(picked).catch(() => {
      toast.error(avatar('failed'));
      return undefined;
    });

  const form = useForm({
    initialValues: { firstName: me.firstName ?? '', lastName: me.lastName ?? '', language: i18n.language },
  });
  const save = useMutation({
    mutationFn: async ({ firstName, lastName, language }: typeof form.values) => {
      const avatarId = picture && (await upload(picture));
      await changeNames(me.id, {
        firstName: firstName.trim(),
        lastName: lastName.trim(),
        ...(avatarId && { avatarId }),
      });
      await navigate({ to: '.', search: (all) => ({ ...all, lng: asLanguage(language) }), replace: true });
      await queries.invalidateQueries({ queryKey: meQuery.queryKey });
      return i18n.getFixedT(language, 'profile')('updated');
    },
    onSuccess: (text) => {
      setPicture(null);
      toast.success(text);
    },
    onError: (error) => toast.error(errorText(error, common)),
  });

  return (
    <form onSubmit={form.onSubmit((values) => save.mutate(values))} noValidate>
      <Stack gap="md">
        <ErrorList errors={save.isError ? [errorText(save.error, common)] : []} />
        <div>
          <div className={styles.name}>{fullName(me)}</div>
          <div className={styles.company}>{me.companyAccount?.label ?? me.companyAccount?.name}</div>
        </div>
        <AvatarField name={fullName(me)} avatarId={me.avatarId ?? null} picked={picture} onPick={setPicture} />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t('firstName')}
            autoComplete="given-name"
            maxLength={MAX_NAME_LENGTH}
            data-autofocus
            {...form.getInputProps('firstName')}
          />
          <TextInput
            label={t('lastName')}
            autoComplete="family-name"
            maxLength={MAX_NAME_LENGTH}
            {...form.getInputProps('lastName')}
          />
        </SimpleGrid>
        <TextInput label={t('email')} description={t('emailNote')} value={me.email} variant="filled" readOnly />
        <div>
          <Input.Label id={languageLabel} component="span" display="block" mb={4}>
            {t('language')}
          </Input.Label>
          <SegmentedControl
            aria-labelledby={languageLabel}
            data={LANGUAGES.map((language) => ({ value: language, label: LANGUAGE_NAMES[language] }))}
            {...form.getInputProps('language')}
          />
        </div>
        <KeySwitch userId={me.id} />
        <Group justify="flex-end">
          <Button type="submit" loading={save.isPending}>
            {t('save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
