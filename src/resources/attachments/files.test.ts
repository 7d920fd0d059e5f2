import { newId } from '#lib/id.ts'
import { asForm, form, formOf } from '#test/support/form.ts'
import { type Step, scenario } from '#test/support/scenario.ts'
import { faulty, made, refused } from '#test/support/steps.ts'

const UPLOADS = '/api/v1/tasks/{T}/attachments'
const post = (query = '') => `POST ${UPLOADS}${query}`

/** The step of a raw upload under a name, which is taken as `kept`. */
const taken = (name: string, kept = name): Step => ({
  send: post(`?filename=${encodeURIComponent(name)}`),
  raw: Buffer.from('x'),
  status: 201,
  reply: { filename: kept },
  events: ['attachment.created'],
})

/** The step of an upload that has these faults. */
const wrong = (send: string, sent: Partial<Step>, faults: Record<string, string>): Step => ({
  ...faulty(send, undefined, faults),
  ...sent,
})

const named = (name: string, code: string): Step[] => [
  wrong(
    post(`?filename=${encodeURIComponent(name)}`),
    { raw: Buffer.from('x') },
    { filename: code },
  ),
  wrong(post(), formOf(name.replaceAll('"', '%22')), { filename: code }),
]

scenario('the name of a file is data: trimmed, of one line, without slashes, and never a path', [
  made('T'),
  taken('a b.txt'),
  taken('  notes.txt \u00a0', 'notes.txt'),
  taken('\u202egnp.exe'),
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
  wrong(post(), formOf('a\0b'), { filename: 'invalid_characters' }),
  wrong(post(), form({ name: 'file', filename: '\x80\ud83d', content: 'x' }), {
    filename: 'invalid_characters',
  }),
  {
    ...taken(`say "hi"`),
    ...{ send: post(), ...formOf('say \\"hi\\"') },
  },
  {
    ...taken('café.txt'),
    send: post(),
    ...asForm(
      '--x----boundary\r\nContent-Disposition: form-data; name=file; filename="caf.txt"; ' +
        "filename*=UTF-8''caf%C3%A9.txt\r\n\r\nx\r\n--x----boundary--",
    ),
  },
  refused(post('?filename='), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  refused(post('?filename=%ff'), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  refused(post('?filename=a&filename=b'), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  refused(post('?filename=a&dry_run=true'), 400, 'invalid_parameter', { raw: Buffer.from('x') }),
  refused(post('?filename=a'), 400, 'invalid_parameter', formOf('b')),
])

const NOWHERE = `POST /api/v1/tasks/${newId('tsk')}/attachments`
const TOO_MANY = form(...Array.from({ length: 21 }, () => ({ name: 'n', content: 'x' })))

scenario('an upload is one file, and all that is wrong with it is told together', [
  made('T'),
  wrong(post(), { raw: Buffer.from('x') }, { filename: 'required' }),
  wrong(post(), {}, { filename: 'required', file: 'too_small' }),
  wrong(post('?filename=a'), {}, { file: 'too_small' }),
  wrong(post(), formOf('a', ''), { file: 'too_small' }),
  wrong(post(), form({ name: 'file', content: 'x' }), { filename: 'required' }),
  wrong(post(), form(), { file: 'required' }),
  wrong(post(), form({ name: 'note', content: 'x' }), { file: 'required', note: 'unknown_field' }),
  wrong(post(), form({ name: 'upload', filename: 'a', content: 'x' }), {
    file: 'required',
    upload: 'unknown_field',
  }),
  wrong(
    post(),
    form(
      { name: 'note', content: 'x' },
      { name: 'file', filename: 'a/b', content: 'x' },
      { name: 'task_id', content: 'tsk_1' },
    ),
    { note: 'unknown_field', task_id: 'unknown_field', filename: 'invalid_characters' },
  ),
  wrong(
    post(),
    form(
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
  ].map((text) => wrong(post(), asForm(text), { file: 'invalid_format' })),
  // Cut there, a file would be kept that nobody sent.
  ...['-of-another\r\nx', '--of-another\r\nx', '--\r\nx', '\r\nx', ''].map((rest) =>
    wrong(post(), formOf('a', `Hello\r\n--x----boundary${rest}`), { file: 'invalid_format' }),
  ),
  ...[71, 253, 5_000].map((length) =>
    wrong(
      post(),
      {
        ...formOf('a'),
        headers: { 'content-type': `multipart/form-data; boundary=${'x'.repeat(length)}` },
      },
      { file: 'invalid_format' },
    ),
  ),
  refused(NOWHERE, 404, 'not_found', asForm('Hello')),
  refused(NOWHERE, 404, 'not_found', TOO_MANY),
  refused(post(), 422, 'validation_failed', TOO_MANY),
  wrong(
    post(),
    { raw: Buffer.from('x'), headers: { 'content-type': 'multipart/form-data' } },
    { file: 'invalid_format' },
  ),
  refused(post('?filename=a'), 415, 'unsupported_media_type', {
    headers: { 'content-encoding': 'gzip' },
    raw: Buffer.from('x'),
  }),
  { send: `GET ${UPLOADS}`, status: 200, reply: { data: [], has_more: false } },
])

/** A type that is sent, and the one that is kept. */
const typed = (type: string, kept = type): Step[] => [
  {
    ...taken('a'),
    headers: { 'content-type': type },
    reply: { content_type: kept },
  },
  { ...taken('a'), send: post(), ...formOf('a', 'x', type), reply: { content_type: kept } },
]
const UNKNOWN = 'application/octet-stream'

scenario('the type is kept as it was sent, and what is no type is bytes of no type', [
  made('T'),
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
  'limits are of a file, of a workspace, and of a task',
  [
    made('T'),
    { ...taken('a'), raw: Buffer.alloc(2_000) },
    refused(post('?filename=a'), 413, 'payload_too_large', { raw: Buffer.alloc(2_001) }),
    refused(post(), 413, 'payload_too_large', formOf('a', Buffer.alloc(2_001))),
    { ...taken('a'), send: post(), ...formOf('a', Buffer.alloc(2_000)), keep: { a: 'id' } },
    refused(post('?filename=a'), 409, 'limit_reached', { raw: Buffer.alloc(1_001) }),
    { ...taken('a'), raw: Buffer.alloc(1_000) },
    refused(post('?filename=a'), 409, 'limit_reached', { raw: Buffer.alloc(1) }),
    { send: 'DELETE /api/v1/attachments/{a}', status: 204 },
    { ...taken('a'), raw: Buffer.alloc(1_901) },
    refused(post('?filename=a'), 409, 'limit_reached', { raw: Buffer.alloc(100) }),
    ...Array.from({ length: 97 }, () => taken('a')),
    refused(post('?filename=a'), 409, 'limit_reached', { raw: Buffer.alloc(1) }),
  ],
  { DOCKET_MAX_ATTACHMENT_BYTES: '2000', DOCKET_WORKSPACE_ATTACHMENT_BYTES: '5000' },
)
