import { IconLink } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { Token, Tokens } from 'marked';
import { createElement, Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { asGuidePage, pictureAddress } from './guidePages';
import styles from './Help.module.css';
import { anchorOf, plain } from './headings';

/**
 * The blocks of a page as elements. Nothing of a page becomes markup: what it has of HTML is shown as text, and links lead to pages of the guide or to
 * https only.
 */
export function Article({ blocks }: { blocks: readonly Token[] }) {
  return <>{blocks.map((token, at) => withKey(at, <Block token={token} />))}</>;
}

const withKey = (key: number, node: ReactNode) => <Fragment key={key}>{node}</Fragment>;

const inline = (tokens: readonly Token[] | undefined): ReactNode =>
  tokens?.map((token, at) => withKey(at, <Inline token={token} />));

function Block({ token }: { token: Token }) {
  switch (token.type) {
    case 'heading':
      return <GuideHeading token={token as Tokens.Heading} />;
    case 'paragraph':
      return <p>{inline(token.tokens)}</p>;
    case 'list': {
      const { ordered, items, start } = token as Tokens.List;
      const shown = items.map((item, at) => withKey(at, <li>{item.tokens.map(itemPart)}</li>));
      return ordered ? <ol start={Number(start) || 1}>{shown}</ol> : <ul>{shown}</ul>;
    }
    case 'blockquote':
      return (
        <blockquote className={styles.note}>
          <Article blocks={token.tokens ?? []} />
        </blockquote>
      );
    case 'table':
      return <GuideTable token={token as Tokens.Table} />;
    case 'code':
      return (
        <pre>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    case 'space':
    case 'def':
      return null;
    default:
      return <p>{token.raw}</p>;
  }
}

/** A part of a list's item: its text without a paragraph around it, or a list or other block below it. */
const itemPart = (token: Token, at: number) =>
  withKey(at, token.type === 'text' ? inline((token as Tokens.Text).tokens ?? [token]) : <Block token={token} />);

function Inline({ token }: { token: Token }) {
  switch (token.type) {
    case 'strong':
      return <strong>{inline(token.tokens)}</strong>;
    case 'em':
      return <em>{inline(token.tokens)}</em>;
    case 'codespan':
      return <code>{(token as Tokens.Codespan).text}</code>;
    case 'br':
      return <br />;
    case 'link':
      return <GuideAnchor token={token as Tokens.Link} />;
    case 'image':
      return <Picture token={token as Tokens.Image} />;
    case 'text':
    case 'escape':
      return (token as Tokens.Text).text;
    default:
      return token.raw;
  }
}

/** A picture, which opens in its own size in another tab: on a phone it is too small to be read. */
function Picture({ token: { href, text } }: { token: Tokens.Image }) {
  const address = pictureAddress(href);
  return (
    <a href={address} target="_blank" rel="noreferrer">
      <img className={styles.picture} src={address} alt={text} loading="lazy" />
    </a>
  );
}

const HTTPS = /^https:\/\//;
/** Another page of the guide, a place in it, or both. */
const PAGE = /^(?:([\w-]+)\.md)?(?:#(.+))?$/;

function GuideAnchor({ token: { href, tokens } }: { token: Tokens.Link }) {
  if (HTTPS.test(href))
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {inline(tokens)}
      </a>
    );
  const [, name, anchor] = PAGE.exec(href) ?? [];
  const hash = anchor && decodeURIComponent(anchor);
  const page = name && asGuidePage(name);
  if (page)
    return (
      <Link to="/help/$page" params={{ page }} {...(hash && { hash })}>
        {inline(tokens)}
      </Link>
    );
  return hash ? (
    <Link to="." hash={hash}>
      {inline(tokens)}
    </Link>
  ) : (
    inline(tokens)
  );
}

/** A heading with a link to itself; that of the page receives the focus when the page opens. */
function GuideHeading({ token: { depth, tokens } }: { token: Tokens.Heading }) {
  const { t } = useTranslation('help');
  if (depth === 1)
    return (
      <h1 className={styles.title} tabIndex={-1}>
        {inline(tokens)}
      </h1>
    );
  const text = plain(tokens);
  const id = anchorOf(text);
  return createElement(
    `h${depth}`,
    { id, className: styles.section, tabIndex: -1 },
    inline(tokens),
    <Link to="." hash={id} className={styles.anchor} aria-label={t('linkTo', { heading: text })}>
      <IconLink size={16} aria-hidden />
    </Link>,
  );
}

function GuideTable({ token: { header, rows } }: { token: Tokens.Table }) {
  const { t } = useTranslation('help');
  const name = t('table', { column: plain(header[0]?.tokens ?? []) });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a table that scrolls sideways must be reachable by keyboard
    <section className={styles.scroll} aria-label={name} tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>{header.map((cell, at) => withKey(at, <th scope="col">{inline(cell.tokens)}</th>))}</tr>
        </thead>
        <tbody>
          {rows.map((cells, row) =>
            withKey(row, <tr>{cells.map((cell, at) => withKey(at, <td>{inline(cell.tokens)}</td>))}</tr>),
          )}
        </tbody>
      </table>
    </section>
  );
}
