import { TextInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { ApiError } from '~/api/errors';
import { errorText } from '../errorText';

/** Recovery codes have 19 letters; spaces are forgiven. */
const LONGEST_CODE = 40;

interface Props {
  label: string;
  value: string;
  onChange(value: string): void;
  description?: string;
  size?: 'md';
}

/** The field for a code, which browsers and phones fill in. */
export function CodeInput({ label, value, onChange, description, size }: Props) {
  return (
    <TextInput
      label={label}
      description={description}
      {...(size && { size })}
      autoComplete="one-time-code"
      autoCapitalize="none"
      autoFocus
      spellCheck={false}
      maxLength={LONGEST_CODE}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

/** Explains why a code or a password of a second factor was refused. */
export function useCodeFailure(): (error: Error) => string {
  const { t } = useTranslation('secondFactor');
  const common = useTranslation('common').t;
  return (error) => {
    switch (error instanceof ApiError ? error.code : undefined) {
      case 'SECOND_FACTOR_WRONG':
        return t('wrong');
      case 'LOGIN_FAILED':
        return t('wrongPassword');
      case 'SECOND_FACTOR_ON':
      case 'SECOND_FACTOR_OFF':
      case 'SECOND_FACTOR_NOT_BEGUN':
        return t('changed');
      default:
        return errorText(error, common);
    }
  };
}
