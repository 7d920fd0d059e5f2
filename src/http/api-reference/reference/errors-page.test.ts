import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMAND_ERROR_CODES, REPLY_ERROR_CODES } from '#wire/error-code.ts'
import { FIELD_ERROR_CODES } from '#wire/field-error.ts'
import { ERROR_CODES, ERRORS_MARKDOWN, FIELD_CODE_MEANINGS } from '../error-codes.ts'
import { errorsPage } from './errors-page.ts'

/** The codes as they are promised, by status. */
const PROMISED: Readonly<Record<number, string>> = {
  400: 'invalid_request invalid_json invalid_parameter invalid_cursor invalid_header',
  401: 'authentication_required invalid_token token_expired invalid_credentials second_factor_required company_sign_in_failed sign_in_over',
  403: 'csrf_rejected insufficient_scope insufficient_role session_required signup_disabled no_workspace company_sign_in_only company_email_refused sign_in_again second_factor_missing plan_locked credential_paused approval_unavailable',
  404: 'not_found route_not_found',
  405: 'method_not_allowed',
  408: 'request_timeout',
  409: 'tag_exists external_id_exists project_archived limit_reached webhook_disabled session_changed prefix_taken status_in_use last_owner email_taken account_not_linked company_linked last_way_in second_factor_enabled already_member import_under_way import_not_ready import_ended credential_inactive already_decided export_under_way changed_since already_undone',
  410: 'operation_expired events_expired position_expired workspace_deleted',
  412: 'version_mismatch',
  413: 'payload_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  416: 'range_not_satisfiable',
  421: 'misdirected_request',
  422: 'validation_failed idempotency_key_reused',
  429: 'rate_limit_exceeded key_rate_limited too_many_unauthenticated_requests too_many_attempts too_many_session_requests',
  500: 'internal_error',
  503: 'unavailable',
}

const page = errorsPage()

test('documents exactly the error codes of the specification', () => {
  const codesByStatus = Map.groupBy(ERROR_CODES, (one) => one.status)
  const names = [...codesByStatus].map(([status, codes]) => [
    status,
    codes.map(({ code }) => code).join(' '),
  ])
  assert.deepEqual(Object.fromEntries(names), PROMISED)
})

test('documents every code that a reply can have', () => {
  assert.deepEqual(
    ERROR_CODES.map(({ code }) => code).toSorted(),
    [...REPLY_ERROR_CODES].toSorted(),
  )
})

test('every listed code is thrown, and is listed once', () => {
  const codes = [...REPLY_ERROR_CODES, ...COMMAND_ERROR_CODES]
  assert.equal(new Set(codes).size, codes.length)
  const sources = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .filter((path) => path !== 'wire/error-code.ts')
    .map((path) => readFileSync(join('src', path), 'utf8'))
  const neverThrown = codes.filter((code) => !sources.some((text) => text.includes(`'${code}'`)))
  assert.deepEqual(neverThrown, [])
})

test('every doc_url links to a unique anchor with a remedy', () => {
  for (const code of [...REPLY_ERROR_CODES, ...COMMAND_ERROR_CODES, ...FIELD_ERROR_CODES]) {
    const [, row = '', ...more] = page.split(` id="${code}"`)
    assert.deepEqual(more, [], code)
    assert.match(row.split('</dd>')[0] ?? '', /<span class="say">.{10,}<\/span>/, code)
  }
})

test('has no code that is neither of a reply, a field nor a command', () => {
  const explained = [...ERRORS_MARKDOWN.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code)
  const codes = [...REPLY_ERROR_CODES, ...FIELD_ERROR_CODES, ...COMMAND_ERROR_CODES]
  assert.deepEqual(explained.toSorted(), codes.toSorted())
})

test('explains the codes of fields that a reply can have', () => {
  assert.deepEqual(Object.keys(FIELD_CODE_MEANINGS).toSorted(), [...FIELD_ERROR_CODES].toSorted())
})
