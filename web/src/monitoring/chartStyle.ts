/** The style of the tooltip of every chart. */
export const CHART_TOOLTIP = {
  border: '1px solid var(--line-strong)',
  borderRadius: 8,
  background: 'var(--card)',
  boxShadow: '0 8px 24px rgb(10 14 40 / 16%)',
  fontSize: 13,
};

/** The style of the axis labels of every chart. */
export const CHART_TICK = { fill: 'var(--dim)', fontSize: 12 };
