import { describe, expect, it } from 'vitest';
import { partsOf, unusedIn, withFallback } from './letter';

describe('a letter', () => {
  it('is words and holes', () => {
    expect(partsOf('Hello {{ sender.firstName }}, {{ x }}')).toEqual([
      { text: 'Hello ' },
      { text: '{{ sender.firstName }}', hole: 'sender.firstName' },
      { text: ', ' },
      { text: '{{ x }}', hole: 'x' },
    ]);
    expect(partsOf('')).toEqual([]);
    expect(partsOf('{ {a} }')).toEqual([{ text: '{ {a} }' }]);
  });

  it('lists the values that its template does not use', () => {
    const text =
      '{{ brand.label|upper }} {% if siblings %}{{siblings}}{% endif %} {% for ad in ads %}{{ ad.title }}{% endfor %} domain';
    expect(unusedIn(text)).toContain('domain');
    for (const used of ['brand.label', 'siblings', 'ads'] as const) expect(unusedIn(text)).not.toContain(used);
  });

  it('gets words for a hole', () => {
    const text = '{{ sender.firstName }} {{- sender.firstName -}} {{ sender.firstNames }}';
    expect(withFallback(text, 'sender.firstName', 'The "team"')).toBe(
      '{{ sender.firstName|default("The team") }} {{- sender.firstName|default("The team") -}} {{ sender.firstNames }}',
    );
  });
});
