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

/** Dark controls, from text to background, in the hue of tokens.css. */
const dark: MantineColorsTuple = [
  '#eceef8',
  '#c4c9dc',
  '#a2a9c2',
  '#79809b',
  '#3a4160',
  '#2b3048',
  '#1b1f32',
  '#151827',
  '#0d0f1a',
  '#090a12',
];

/** Colours of both schemes are in tokens.css; the theme sets typography, radii and component defaults. */
export const theme = createTheme({
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  headings: { fontFamily: "'Inter Variable', system-ui, sans-serif", fontWeight: '650' },
  colors: { indigo, dark },
  primaryColor: 'indigo',
  primaryShade: { light: 6, dark: 5 },
  cursorType: 'pointer',
  // tokens.css ends every transition at once, so nothing may wait for the end of one.
  respectReducedMotion: true,
  components: {
    // Menus must focus their first item; Mantine's placeholder is none.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, menuItemTabIndex: 0 } },
    InputWrapper: { styles: { label: { marginBottom: 4 } } },
    Modal: { styles: { title: { fontSize: 17, fontWeight: 650, overflowWrap: 'anywhere' } } },
    Tooltip: { defaultProps: { openDelay: 300, withArrow: true, arrowSize: 6 } },
    Popover: { defaultProps: { shadow: 'md' } },
  },
});
