import { Chip, Input, MultiSelect, NumberInput, Select, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  type Alert,
  type AlertRecipient,
  alertsKey,
  alertTextsQuery,
  inOtherWords,
  recipientsQuery,
  saveAlert,
} from '~/api/queries/alerts';
import { searchBrands } from '~/api/queries/choices';
import { fullName, useMe } from '~/api/session';
import { ErrorPanel } from '~/ui/feedback';
import { AsyncSelect } from '~/ui/form/AsyncSelect';
import { ModalForm, ModalFrame } from '~/ui/form/FormModal';
import { useSavedForm } from '~/ui/form/useSavedForm';
import { toast } from '~/ui/toast';
import { useFormats } from '~/ui/useFormats';
import { AlertPreview } from './AlertPreview';
import styles from './Alerts.module.css';
import {
  type AlertValues,
  bodyOf,
  EVENTS,
  HOOKS,
  type Hook,
  LONGEST_LINE,
  MOST_RECIPIENTS,
  MOST_UNITS,
  UNITS,
  valuesOf,
  WAYS,
  WEEKDAYS,
} from './alertValues';
import { NextTimes } from './NextTimes';
import { browserZone } from './words';

const WIDTH = 980;

/** Fields that the server may refuse, which have words for it. */
const REFUSED = [
  'brandId',
  'recipientIds',
  'hookTrigger',
  'cron',
  'frequency',
  'from',
  'fromName',
  'subject',
  'templateId',
] as const;

interface Props {
  /** Undefined for a new one. */
  alert: Alert | undefined;
  /** The event of a new one. */
  hook: Hook | undefined;
  /** The time zone of schedules. */
  zone: string;
  onClose(): void;
}

/** The form of an alert: what it is about, when and to whom it is sent, and beside it what its mail says. */
export function AlertForm({ alert, hook, zone, onClose }: Props) {
  const { t } = useTranslation('alerts');
  const common = useTranslation('common').t;
  const me = useMe();
  const [own, ...others] = me.companyAccount?.brands ?? [];
  const only = own && others.length === 0 ? { value: Number(own.id), label: own.label ?? String(own.id) } : undefined;
  const line = (text: string) => ([...text].length > LONGEST_LINE ? t('refused.subject') : null);
  const whenWay =
    (way: AlertValues['way'], wrong: (values: AlertValues) => string | null) => (_: unknown, values: AlertValues) =>
      values.way === way ? wrong(values) : null;
  const { form, submit, saving } = useSavedForm<AlertValues, Alert>({
    initialValues: valuesOf(alert, { reader: me.id, ...(hook && { hook }), ...(only && { brand: only }) }),
    validate: {
      brandId: (brand) => (brand ? null : t('missing.brand')),
      days: whenWay('days', ({ days }) => (days.length > 0 ? null : t('missing.days'))),
      time: whenWay('days', ({ time }) => (time === '' ? t('missing.time') : null)),
      frequency: whenWay('every', ({ frequency }) =>
        frequency !== '' && Number.isInteger(frequency) && frequency >= 1 && frequency <= MOST_UNITS
          ? null
          : t('refused.frequency'),
      ),
      startDate: whenWay('every', ({ startDate }) => (startDate === '' ? t('missing.start') : null)),
      cron: whenWay('cron', ({ cron }) => (cron.trim() === '' ? t('missing.cron') : null)),
      recipientIds: (chosen) => {
        if (chosen.length === 0) return t('missing.recipients');
        return chosen.length > MOST_RECIPIENTS ? t('tooManyRecipients', { count: MOST_RECIPIENTS }) : null;
      },
      subject: line,
      fromName: line,
    },
    save: async (values) => {
      try {
        return await saveAlert(alert?.id, bodyOf(values));
      } catch (error) {
        throw inOtherWords(error, (field) => {
          const known = REFUSED.find((one) => one === field);
          return known ? t(`refused.${known}`) : field;
        });
      }
    },
    onSaved: () => {
      toast.success(t('saved'));
      onClose();
    },
    changes: [alertsKey],
  });
  const values = form.getValues();
  const brandId = values.brandId && Number(values.brandId.value);
  const { data: users, isError, refetch } = useQuery({ ...recipientsQuery(brandId ?? 0), enabled: brandId !== null });
  const { data: texts } = useQuery({ ...alertTextsQuery(brandId ?? 0), enabled: brandId !== null });
  const textOptions = (texts ?? []).map(({ id, label, language }) => ({
    value: String(id),
    label: `${label} (${t(language === 'fr' ? 'texts.languageOf.fr' : 'texts.languageOf.en')})`,
  }));
  const options = users?.map(({ id, name, email }) => ({
    value: String(id),
    label: name ? `${name} (${email})` : email,
  })) ?? [{ value: String(me.id), label: fullName(me) }];
  const left = useLeftOut(form, users);
  return (
    <ModalFrame title={t(alert ? 'changeTitle' : 'newTitle')} onClose={onClose} size={WIDTH}>
      <div className={styles.columns}>
        <ModalForm submitLabel={common('save')} saving={saving} onSubmit={submit} onCancel={onClose}>
          <AsyncSelect
            label={t('field.brand')}
            search={searchBrands}
            clearable={false}
            withAsterisk
            {...(!alert && !only && { 'data-autofocus': true })}
            {...form.getInputProps('brandId')}
            value={values.brandId}
            onChange={(brand) => {
              form.setFieldValue('brandId', brand);
              form.setFieldValue('from', null);
              form.setFieldValue('templateId', '');
            }}
          />
          <Select
            label={t('field.way')}
            data={WAYS.map((way) => ({ value: way, label: t(`way.${way}`) }))}
            allowDeselect={false}
            {...form.getInputProps('way')}
          />
          <Timing form={form} zone={zone} />
          <NextTimes values={values} />
          <MultiSelect
            label={t('field.recipients')}
            withAsterisk
            searchable
            hidePickedOptions
            openOnFocus={false}
            nothingFoundMessage={common('choice.none')}
            data={options}
            description={left > 0 ? t('leftOut', { count: left }) : undefined}
            {...form.getInputProps('recipientIds')}
            // An id has no name before the users are there.
            value={values.recipientIds.filter((id) => options.some(({ value }) => value === id))}
            disabled={brandId !== null && !users}
          />
          {isError && !users && <ErrorPanel onRetry={() => void refetch()} />}
          {(textOptions.length > 0 || values.templateId !== '') && (
            <Select
              label={t('field.text')}
              data={[{ value: '', label: t('field.textStandard') }, ...textOptions]}
              allowDeselect={false}
              {...form.getInputProps('templateId')}
            />
          )}
          <TextInput
            label={t('field.subject')}
            placeholder={t('untitled', { brand: values.brandId?.label ?? '…' })}
            {...form.getInputProps('subject')}
          />
          <div className={styles.pair}>
            <TextInput label={t('field.fromName')} placeholder="Vigie" {...form.getInputProps('fromName')} />
            <Select
              label={t('field.from')}
              placeholder={t('field.noAnswer')}
              clearable
              searchable
              openOnFocus={false}
              data={[...new Set([...(users ?? []).map(({ email }) => email), ...(values.from ? [values.from] : [])])]}
              {...form.getInputProps('from')}
            />
          </div>
          <Switch label={t('field.withReport')} {...form.getInputProps('withReport', { type: 'checkbox' })} />
          <Switch label={t('field.enable')} {...form.getInputProps('enable', { type: 'checkbox' })} />
        </ModalForm>
        <AlertPreview body={bodyOf(values)} isReady={values.brandId !== null && values.recipientIds.length > 0} />
      </div>
    </ModalFrame>
  );
}

type Form = ReturnType<typeof useSavedForm<AlertValues, Alert>>['form'];

/** Takes those out of the recipients who do not see the brand, and says how many they were; none until its users are known. */
function useLeftOut(form: Form, users: readonly AlertRecipient[] | undefined): number {
  const [left, setLeft] = useState(0);
  const chosen = form.getValues().recipientIds;
  useEffect(() => {
    if (!users) return;
    const known = chosen.filter((id) => users.some((user) => String(user.id) === id));
    if (known.length === chosen.length) return;
    setLeft(chosen.length - known.length);
    form.setFieldValue('recipientIds', known);
  }, [users, chosen, form.setFieldValue]);
  return left;
}

/** The fields of the chosen way to time an alert. */
function Timing({ form, zone }: { form: Form; zone: string }) {
  const { t } = useTranslation('alerts');
  const fmt = useFormats();
  const label = useId();
  const differs = zone !== browserZone();
  const { way } = form.getValues();
  switch (way) {
    case 'days':
      return (
        <div className={styles.timing}>
          <Input.Wrapper label={t('field.days')} labelElement="div" labelProps={{ id: label }} error={form.errors.days}>
            <Chip.Group multiple value={form.getValues().days} onChange={(days) => form.setFieldValue('days', days)}>
              <fieldset className={styles.days} aria-labelledby={label}>
                {WEEKDAYS.map((day, at) => (
                  <Chip key={day} value={day} size="sm" radius="sm">
                    {fmt.weekday(at + 1, 'short')}
                  </Chip>
                ))}
              </fieldset>
            </Chip.Group>
          </Input.Wrapper>
          <TextInput
            type="time"
            label={t('field.time')}
            description={differs ? t('clock', { zone }) : undefined}
            {...form.getInputProps('time')}
          />
        </div>
      );
    case 'every':
      return (
        <div className={styles.every}>
          <NumberInput
            label={t('field.every')}
            min={1}
            max={MOST_UNITS}
            clampBehavior="none"
            allowDecimal={false}
            {...form.getInputProps('frequency')}
          />
          <Select
            label={t('field.unit')}
            data={UNITS.map((unit) => ({ value: unit, label: t(`unit.${unit}`) }))}
            allowDeselect={false}
            {...form.getInputProps('unit')}
          />
          <TextInput
            type="datetime-local"
            label={t('field.start')}
            description={differs ? t('clock', { zone: browserZone() }) : undefined}
            {...form.getInputProps('startDate')}
          />
        </div>
      );
    case 'cron':
      return (
        <TextInput
          label={t('field.cron')}
          description={t('field.cronHint')}
          placeholder="0 8 1 * *"
          {...form.getInputProps('cron')}
        />
      );
    case 'event':
      return (
        <Select
          label={t('field.event')}
          data={HOOKS.map((hook) => ({ value: hook, label: t(`event.${EVENTS[hook]}`) }))}
          allowDeselect={false}
          {...form.getInputProps('hookTrigger')}
        />
      );
  }
}
