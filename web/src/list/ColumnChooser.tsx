import { ActionIcon, Button, Checkbox, Popover, Stack, Tooltip } from '@mantine/core';
import { IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ColumnChoice } from './columnChoice';

/** Chooses which columns are shown. The last one cannot be hidden. */
export function ColumnChooser({ choice }: { choice: ColumnChoice }) {
  const { t } = useTranslation('list');
  const shown = choice.columns.filter((column) => column.shown).length;
  return (
    <Popover position="bottom-end" trapFocus>
      <Popover.Target>
        <Tooltip label={t('columns')}>
          <ActionIcon variant="default" size={36} aria-label={t('columns')}>
            <IconColumns3 size={18} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" role="group" aria-label={t('columns')}>
          {choice.columns.map((column) => (
            <Checkbox
              key={column.id}
              label={column.label}
              checked={column.shown}
              disabled={column.shown && shown === 1}
              onChange={() => choice.toggle(column.id)}
            />
          ))}
          <Button variant="subtle" size="xs" onClick={choice.reset}>
            {t('columnsReset')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
