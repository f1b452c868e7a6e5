import { describe, expect, it } from 'vitest';
import { ApiError, errorOf, isTooMany, isUnauthorized } from './errors';

const response = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

describe('the error of an answer', () => {
  it('takes status, code, message and field messages from the body', () => {
    const error = errorOf(response(422), {
      error: {
        statusCode: 422,
        name: 'Error',
        message: 'Invalid',
        code: 'VALIDATION',
        details: { messages: { email: ['The email is required'] } },
      },
    });
    expect(error).toMatchObject({ status: 422, code: 'VALIDATION', message: 'Invalid' });
    expect(error.fields).toEqual({ email: ['The email is required'] });
  });

  it.each([undefined, null, 'a page of HTML', { error: 'text' }, { error: { message: 7 } }])(
    'is made of the status when the body is %j',
    (body) => {
      expect(errorOf(response(502), body)).toMatchObject({ status: 502, code: '502', message: '502', fields: {} });
    },
  );

  it('says when to come back', () => {
    expect(errorOf(response(429, { 'Retry-After': '90' }), {}).retryAfter).toBe(90);
    expect(errorOf(response(429), {}).retryAfter).toBeUndefined();
  });

  it('is told apart by its status', () => {
    expect(isUnauthorized(new ApiError(401, 'LOGIN_FAILED', 'Unauthorized'))).toBe(true);
    expect(isUnauthorized(new ApiError(403, 'AUTHORIZATION_REQUIRED', ''))).toBe(false);
    expect(isTooMany(new ApiError(408, 'TOO_MANY_RESULTS', ''))).toBe(true);
    expect(isTooMany(new TypeError('x'))).toBe(false);
  });
});
