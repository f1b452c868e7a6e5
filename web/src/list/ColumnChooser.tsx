import { ActionIcon, Button, Checkbox, Group, Popover, Stack, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ColumnChoice } from './columnChoice';

/** Chooses which columns are shown, and in which order. The last one cannot be hidden. */
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
          {choice.columns.map((column, index) => (
            <Group key={column.id} gap={4} wrap="nowrap">
              <Checkbox
                style={{ flex: 1 }}
                label={column.label}
                checked={column.shown}
                disabled={column.shown && shown === 1}
                onChange={() => choice.toggle(column.id)}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === 0}
                aria-label={t('columnUp', { label: column.label })}
                onClick={() => choice.move(column.id, -1)}
              >
                <IconChevronUp size={14} />
              </ActionIcon>
              <ActionIcon
                variant="subtle"
                color="gray"
                size="sm"
                disabled={index === choice.columns.length - 1}
                aria-label={t('columnDown', { label: column.label })}
                onClick={() => choice.move(column.id, 1)}
              >
                <IconChevronDown size={14} />
              </ActionIcon>
            </Group>
          ))}
          <Button variant="subtle" size="xs" onClick={choice.reset}>
            {t('columnsReset')}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
