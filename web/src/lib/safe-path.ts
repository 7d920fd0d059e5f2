/** An address on this origin to go on to after signing in: else `/start` (reliability S7). */
export function safePath(path: string): string {
  const plain = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e\u00a0-\uffff]*$/u.test(path)
  return plain && URL.parse(path, 'http://a.invalid')?.origin === 'http://a.invalid'
    ? path
    : '/start'
}
