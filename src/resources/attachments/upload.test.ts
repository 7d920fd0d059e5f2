import { newId } from '#lib/id.ts'
import {
  multipartForm,
  rawMultipartForm,
  singleFileForm,
} from '#test/support/scenario/multipart-form.ts'
import { type ScenarioStep, scenario } from '#test/support/scenario/scenario.ts'
import { createTaskStep, rejectedStep, validationFailedStep } from '#test/support/scenario/steps.ts'

const UPLOADS = '/api/v1/tasks/{T}/attachments'
const post = (query = '') => `POST ${UPLOADS}${query}`

/** A raw upload with a filename, which is stored as `kept`. */
const taken = (name: string, kept = name): ScenarioStep => ({
  send: post(`?filename=${encodeURIComponent(name)}`),
  raw: Buffer.from('x'),
  status: 201,
  reply: { filename: kept },
  events: ['attachment.created'],
})

/** An upload that fails with these field errors. */
const wrong = (
  send: string,
  sent: Partial<ScenarioStep>,
  faults: Record<string, string>,
): ScenarioStep => ({
  ...validationFailedStep(send, undefined, faults),
  ...sent,
})

const named = (name: string, code: string): ScenarioStep[] => [
  wrong(
    post(`?filename=${encodeURIComponent(name)}`),
    { raw: Buffer.from('x') },
    { filename: code },
  ),
  wrong(post(), singleFileForm(name.replaceAll('"', '%22')), { filename: code }),
]

scenario('validates and trims filenames, which are never paths', [
  createTaskStep('T'),
  taken('a b.txt'),
  taken('  notes.txt \u00a0', 'notes.txt'),
  taken('a\u202egnp.exe', 'a_gnp.exe'),
  taken('\u2067\u05e9\u200f\u2069.pdf', '_\u05e9\u200f_.pdf'),
  taken('..'),
  taken('con.txt:stream|<script>"*?'),
  taken('é'.repeat(255)),
  taken('𝒳'.repeat(255)),
  taken("it's (1)*.txt"),
  ...named('../../etc/passwd', 'invalid_characters'),
  ...named('a\\b', 'invalid_characters'),
  ...named('é'.repeat(256), 'too_long'),
  ...named('   ', 'too_short'),
  ...['\0', '\u0085', '\u2028', '\t', '\x7f'].map((sign) =>
    wrong(
      post(`?filename=a${encodeURIComponent(sign)}b`),
      { raw: Buffer.from('x') },
      { filename: 'invalid_characters' },
    ),
  ),
  wrong(post(), singleFileForm('a\0b'), { filename: 'invalid_characters' }),
  wrong(post(), multipartForm({ name: 'file', filename: '\x80\ud83d', content: 'x' }), {
    filename: 'invalid_characters',
  }),
  {
    ...taken(`say "hi"`),
    send: post(),
    ...singleFileForm('say \\"hi\\"'),
  },
  {
    ...taken('café.txt'),
    send: post(),
    ...rawMultipartForm(
      '--x----boundary\r\nContent-Disposition: form-data; name=file; filename="caf.txt"; ' +
        "filename*=UTF-8''caf%C3%A9.txt\r\n\r\nx\r\n--x----boundary--",
    ),
  },
  rejectedStep(post('?filename='), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  rejectedStep(post('?filename=%ff'), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  rejectedStep(post('?filename=a&filename=b'), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  rejectedStep(post('?filename=a&dry_run=true'), 400, 'invalid_parameter', {
    raw: Buffer.from('x'),
  }),
  rejectedStep(post('?filename=a'), 400, 'invalid_parameter', singleFileForm('b')),
])

const NOWHERE = `POST /api/v1/tasks/${newId('tsk')}/attachments`
const TOO_MANY = multipartForm(...Array.from({ length: 21 }, () => ({ name: 'n', content: 'x' })))

scenario('an upload is one file; all its errors are returned at once', [
  createTaskStep('T'),
  wrong(post(), { raw: Buffer.from('x') }, { filename: 'required' }),
  wrong(post(), {}, { filename: 'required', file: 'too_small' }),
  wrong(post('?filename=a'), {}, { file: 'too_small' }),
  wrong(post(), singleFileForm('a', ''), { file: 'too_small' }),
  wrong(post(), multipartForm({ name: 'file', content: 'x' }), { filename: 'required' }),
  wrong(post(), multipartForm(), { file: 'required' }),
  wrong(post(), multipartForm({ name: 'note', content: 'x' }), {
    file: 'required',
    note: 'unknown_field',
  }),
  wrong(post(), multipartForm({ name: 'upload', filename: 'a', content: 'x' }), {
    file: 'required',
    upload: 'unknown_field',
  }),
  wrong(
    post(),
    multipartForm(
      { name: 'note', content: 'x' },
      { name: 'file', filename: 'a/b', content: 'x' },
      { name: 'task_id', content: 'tsk_1' },
    ),
    { note: 'unknown_field', task_id: 'unknown_field', filename: 'invalid_characters' },
  ),
  wrong(
    post(),
    multipartForm(
      { name: 'file', filename: 'a', content: 'x' },
      { name: 'file', filename: 'b', content: 'y' },
    ),
    { file: 'duplicate' },
  ),
  ...[
    'Hello',
    '--x----boundary',
    '--x----boundary\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx',
    '--x----boundary\r\nContent-Disposition: form-data; name="file"; filen',
  ].map((text) => wrong(post(), rawMultipartForm(text), { file: 'invalid_format' })),
  // If it were cut there, a file would be stored that nobody sent.
  ...['-of-another\r\nx', '--of-another\r\nx', '--\r\nx', '\r\nx', ''].map((rest) =>
    wrong(post(), singleFileForm('a', `Hello\r\n--x----boundary${rest}`), {
      file: 'invalid_format',
    }),
  ),
  ...[71, 253, 5_000].map((length) =>
    wrong(
      post(),
      {
        ...singleFileForm('a'),
        headers: { 'content-type': `multipart/form-data; boundary=${'x'.repeat(length)}` },
      },
      { file: 'invalid_format' },
    ),
  ),
  rejectedStep(NOWHERE, 404, 'not_found', rawMultipartForm('Hello')),
  rejectedStep(NOWHERE, 404, 'not_found', TOO_MANY),
  rejectedStep(post(), 422, 'validation_failed', TOO_MANY),
  wrong(
    post(),
    { raw: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } },
    { file: 'invalid_format' },
  ),
  rejectedStep(post('?filename=a'), 415, 'unsupported_media_type', {
    headers: { 'content-encoding': 'gzip' },
    raw: Buffer.from('x'),
  }),
  { send: `GET ${UPLOADS}`, status: 200, reply: { data: [], has_more: false } },
])

/** A content type that is sent, and the one that is stored. */
const typed = (type: string, kept = type): ScenarioStep[] => [
  {
    ...taken('a'),
    headers: { 'content-type': type },
    reply: { content_type: kept },
  },
  { ...taken('a'), send: post(), ...singleFileForm('a', 'x', type), reply: { content_type: kept } },
]
const UNKNOWN = 'application/octet-stream'

scenario('keeps the content type as sent, and replaces an invalid one', [
  createTaskStep('T'),
  { ...taken('a'), reply: { content_type: UNKNOWN } },
  ...typed('text/html; charset=utf-8'),
  ...typed('image/svg+xml'),
  ...typed('Image/PNG'),
  ...typed('text', UNKNOWN),
  ...typed('text/', UNKNOWN),
  ...typed('text/plain; charset', UNKNOWN),
  ...typed('text/plain, text/html', UNKNOWN),
  ...typed(`text/${'x'.repeat(300)}`, UNKNOWN),
])

scenario(
  'enforces the limits of a file and a task',
  [
    createTaskStep('T'),
    { ...taken('a'), raw: Buffer.alloc(2_000) },
    rejectedStep(post('?filename=a'), 413, 'payload_too_large', { raw: Buffer.alloc(2_001) }),
    rejectedStep(post(), 413, 'payload_too_large', singleFileForm('a', Buffer.alloc(2_001))),
    { ...taken('a'), send: post(), ...singleFileForm('a', Buffer.alloc(2_000)), keep: { a: 'id' } },
    { ...taken('a'), raw: Buffer.alloc(1_000) },
    { send: 'DELETE /api/v1/attachments/{a}', status: 204, events: ['attachment.deleted'] },
    { ...taken('a'), raw: Buffer.alloc(1_901) },
    ...Array.from({ length: 97 }, () => taken('a')),
    rejectedStep(post('?filename=a'), 409, 'limit_reached', { raw: Buffer.alloc(1) }),
  ],
  { DOCKET_MAX_ATTACHMENT_BYTES: '2000' },
)
