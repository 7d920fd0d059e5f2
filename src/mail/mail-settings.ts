import type { SettingReader } from '#core/setting-reader.ts'

/** The mail server and the sender. */
export interface MailSettings {
  /** `smtp://user:password@host:port`, or `smtps://`. */
  url: string
  /** The sender: `docket@example.com` or `Docket <docket@example.com>`. */
  from: string
}

/** Reads mail server and sender: both or none. Mistakes never repeat the URL, which holds a password. */
export function readMailSettings({
  text,
  secret,
  mistakes,
}: SettingReader): MailSettings | undefined {
  const [url, from] = [secret('DOCKET_SMTP_URL'), text('DOCKET_MAIL_FROM')]
  if (url === undefined && from === undefined) return undefined
  const { protocol = '', hostname = '' } = URL.parse(url ?? '') ?? {}
  if (!/^smtps?:$/.test(protocol) || hostname === '') {
    const example = 'smtp://user:password@mail.example.com:587'
    mistakes.push(
      `DOCKET_SMTP_URL must be a URL such as ${example}; set it together with DOCKET_MAIL_FROM`,
    )
  }
  if (!/^(?:[^<>@\p{Cc}]+ <[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/u.test(from ?? '')) {
    const example = 'Docket <docket@example.com>'
    mistakes.push(
      `DOCKET_MAIL_FROM must be an email address such as ${example}; set it together with DOCKET_SMTP_URL`,
    )
  }
  return { url: url ?? '', from: from ?? '' }
}
