import { ActionIcon, Menu } from '@mantine/core';
import { IconDotsVertical } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** What can be done with one row, behind a button. */
export function RowMenu({ label, children }: { label: string; children: ReactNode }) {
  return (
    // The focus goes to the first entry, as menus want it: the library's place holder is no entry of a menu.
    <Menu position="bottom-end" width="max-content" withInitialFocusPlaceholder={false} menuItemTabIndex={0}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={label}>
          <IconDotsVertical size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>{children}</Menu.Dropdown>
    </Menu>
  );
}
