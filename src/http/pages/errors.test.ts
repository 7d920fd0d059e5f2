import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CODES } from './codes.ts'
import { DETAILS } from './details.ts'
import { errorsPage } from './errors.ts'

/** The codes as they are promised, by status. */
const PROMISED: Readonly<Record<number, string>> = {
  400: 'invalid_json invalid_parameter invalid_cursor invalid_header',
  401: 'authentication_required invalid_token token_expired invalid_credentials second_factor_required company_sign_in_failed sign_in_over',
  403: 'csrf_rejected insufficient_scope insufficient_role session_required signup_disabled no_workspace company_sign_in_only company_email_refused sign_in_again plan_locked',
  404: 'not_found route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'tag_exists external_id_exists project_archived limit_reached webhook_disabled idempotency_in_progress prefix_taken status_in_use last_owner email_taken account_not_linked company_linked last_way_in second_factor_enabled already_member',
  410: 'events_expired endpoint_retired',
  412: 'version_mismatch',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  416: 'range_not_satisfiable',
  421: 'misdirected_request',
  422: 'validation_failed idempotency_key_reused',
  429: 'rate_limit_exceeded too_many_unauthenticated_requests too_many_attempts too_many_session_requests',
  500: 'internal_error',
  503: 'unavailable',
}

const page = errorsPage()

test('the page tells of every promised code, and of no other', () => {
  const told = Map.groupBy(CODES, (one) => one.status)
  const names = [...told].map(([status, codes]) => [
    status,
    codes.map(({ code }) => code).join(' '),
  ])
  assert.deepEqual(Object.fromEntries(names), PROMISED)
})

test('doc_url leads to an anchor that is there once, and tells what to do', () => {
  for (const code of [...CODES.map((one) => one.code), ...Object.keys(DETAILS)]) {
    const [, row = '', ...more] = page.split(` id="${code}"`)
    assert.deepEqual(more, [], code)
    assert.match(row.split('</dd>')[0] ?? '', /<span class="say">.{10,}<\/span>/, code)
  }
})

test('every link within the page leads somewhere', () => {
  for (const [, anchor = ''] of page.matchAll(/href="#([^"]+)"/g)) {
    assert.ok(page.includes(` id="${anchor}"`), anchor)
  }
})
