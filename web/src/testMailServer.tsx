import { QueryClient } from '@tanstack/react-query';
import { vi } from 'vitest';
import type { CaseRow } from '~/api/queries/actions';
import type { CaseTemplate, CaseMails as Data, Draft, Mail } from '~/api/queries/caseMails';
import type { Present } from '~/api/queries/presence';
import type { Me } from '~/api/session';
import { CaseMails } from '~/monitoring/mails/CaseMails';
import { renderRoute } from '~/testing';
import { caseRow, delivery, mailOf, mailsOf, meKey, operator } from './testMails';

/** A call that the page made. */
export interface Call {
  name: string;
  body: Record<string, unknown>;
}

/** A server of one case in memory, as far as the e-mail page talks to it. */
export class MailServer {
  data: Data;
  templates: CaseTemplate[] = [];
  /** The others that write in the case, and whether the reader does in another window. */
  present: Present = { people: [], elsewhere: false };
  /** The case itself; any other is unknown. */
  row: CaseRow | undefined;
  readonly calls: Call[] = [];
  /** Refuses a call by its name, once: with a status, a code, and details. */
  refusals: Record<string, { status: number; code: string; details?: object }> = {};

  constructor(change: Partial<Data> = {}) {
    this.data = mailsOf(change);
    vi.spyOn(window, 'fetch').mockImplementation(async (input) => this.answer(input as Request));
  }

  /** The bodies of the calls with a name, such as `POST emails/send`. */
  of(name: string): Record<string, unknown>[] {
    return this.calls.filter((call) => call.name === name).map(({ body }) => body);
  }

  private put(mail: Mail): Mail {
    const { mails } = this.data;
    const known = mails.some(({ id }) => id === mail.id);
    this.data = {
      ...this.data,
      mails: known ? mails.map((one) => (one.id === mail.id ? mail : one)) : [...mails, mail],
    };
    return mail;
  }

  private async answer(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname.replace(/^\/api\/(?:actions\/)?/, '');
    const name = `${request.method} ${path}`;
    const body = request.headers.get('Content-Type')?.includes('json') ? await request.json() : {};
    this.calls.push({ name, body });
    const refusal = this.refusals[name];
    if (refusal) {
      delete this.refusals[name];
      const { status, code, details } = refusal;
      return Response.json({ error: { statusCode: status, message: 'no', code, details } }, { status });
    }
    const [, id, act] = /^emails\/(\d+)\/(\w+)$/.exec(path) ?? [];
    const mail = this.data.mails.find((one) => one.id === Number(id));
    if (mail && act) return Response.json({ data: this.act(mail, act, body) });
    return this.resource(name, body);
  }

  private act(mail: Mail, act: string, body: Record<string, unknown>): Mail | Draft {
    switch (act) {
      case 'read':
        return this.put({
          ...mail,
          open: body.read === true,
          readBy: body.read ? { id: 3, name: 'Ann Archer' } : null,
        });
      case 'automatic':
        return this.put({ ...mail, automatic: body.automatic ? 'certain' : 'no' });
      case 'ruling': {
        const ruling = body.arrived ? ('arrived' as const) : ('lost' as const);
        return this.put({ ...mail, deliveries: mail.deliveries.map((one) => ({ ...one, ruling })) });
      }
      default: {
        const draft = this.draftOf({ to: [1], subject: mail.subject, body: mail.body });
        this.data = { ...this.data, draft, mails: this.data.mails.filter((one) => one !== mail) };
        return draft;
      }
    }
  }

  private draftOf(body: Record<string, unknown>): Draft {
    return {
      templateId: null,
      language: 'en',
      ...body,
      attachments: ((body.attachments ?? []) as string[]).map((id) => ({
        id,
        name: 'ads.png',
        mimeType: 'image/png',
        bytes: 2_000,
        href: `/api/files/${id}`,
      })),
      id: 50,
      version: (this.data.draft?.version ?? 0) + 1,
      updatedDate: '2025-10-05T08:41:00.000Z',
    } as unknown as Draft;
  }

  private resource(name: string, body: Record<string, unknown>): Response {
    switch (name) {
      case `GET detail/${this.row?.id}`:
        return Response.json({ data: { ...this.row, id: 7, emails: [], brand: { id: 1, label: this.row?.brand } } });
      case 'GET emails':
        return Response.json({ data: this.data });
      case 'PUT emails/draft':
        this.data = { ...this.data, draft: this.draftOf(body) };
        return Response.json({ data: this.data.draft });
      case 'DELETE emails/draft':
        this.data = { ...this.data, draft: null };
        return new Response(null, { status: 204 });
      case 'POST emails/send': {
        const { draft } = this.data;
        const deliveries = (draft?.to ?? []).map((contactId) =>
          delivery({ id: 60 + contactId, contactId, state: 'queued' }),
        );
        this.data = { ...this.data, draft: null };
        const { subject = '', body: text = '' } = draft ?? {};
        const sendAt = (body.sendAt ?? null) as string | null;
        const createdDate = '2025-10-05T09:00:00.000Z';
        return Response.json({
          data: this.put(
            mailOf(50, { status: 'queued', subject, body: text, deliveries, sendAt, undoUntil: sendAt, createdDate }),
          ),
        });
      }
      case 'POST presence':
        return Response.json({ data: this.present });
      case 'GET templates':
        return Response.json({ data: this.templates });
      case 'POST Files/upload':
        return Response.json({ id: 'f1', name: 'ads.png', mimeType: 'image/png' });
      case 'POST contacts':
        this.data = {
          ...this.data,
          contacts: [
            ...this.data.contacts,
            {
              id: 9,
              email: String(body.email),
              name: null,
              state: 'active',
              suppressed: null,
              lastBounce: null,
              dealer: 'host',
            },
          ],
        };
        return Response.json({ data: this.data.contacts });
      default:
        if (name.startsWith('GET detail/')) {
          return Response.json({ error: { statusCode: 404, message: 'no' } }, { status: 404 });
        }
        return Response.json(
          name.startsWith('GET') ? { data: [], meta: { page: { total: 0 } }, links: {} } : { data: [] },
        );
    }
  }
}

/** Shows the mails of the case to somebody, in a window of this height. */
export function showMails(me: Me = operator, height = 800) {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queries.setQueryData(meKey, me);
  const screen = () => (
    <div style={{ display: 'flex', height }}>
      <CaseMails caseId="7" row={caseRow} />
    </div>
  );
  return { ...renderRoute('/mails', screen, '/mails', queries), queries };
}
