import { createTheme, type MantineColorsTuple } from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eef0ff',
  '#dcdffb',
  '#b5baf0',
  '#8c93e6',
  '#6a73de',
  '#545ed9',
  '#3d48c9',
  '#333db3',
  '#2b349e',
  '#1f2889',
];

/** Colours of both schemes are in tokens.css; the theme fixes type, radii and defaults of controls. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '650' },
  colors: { indigo },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 5 },
  defaultRadius: 'md',
  cursorType: 'pointer',
  focusRing: 'auto',
  components: {
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, arrowSize: 6 } },
    Popover: { defaultProps: { shadow: 'md', radius: 'md' } },
  },
});
