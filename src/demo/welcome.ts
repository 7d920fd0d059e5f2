import { styleText } from 'node:util'
import type { Welcome } from './make.ts'

/** What is printed on the very first start, and never again: how to come in. */
export function welcomeText(baseUrl: string, { email, password, api_key }: Welcome): string {
  const bold = (text: string) => styleText('bold', text, { stream: process.stdout })
  const dim = (text: string) => styleText('dim', text, { stream: process.stdout })
  return [
    '',
    `  ${bold('Welcome to Docket')}`,
    '  A demo workspace is there to look around in. This is shown once: keep it.',
    '',
    `  ${dim('Address ')}  ${baseUrl}`,
    `  ${dim('E-mail  ')}  ${email}`,
    `  ${dim('Password')}  ${password}`,
    `  ${dim('API key ')}  ${api_key}`,
    '',
    '  Try it:',
    '',
    `  curl -H 'Authorization: Bearer ${api_key}' '${baseUrl}/api/v1/tasks?assignee_id=me'`,
    '',
    `  ${dim(`The reference of the API is at ${baseUrl}/docs. DOCKET_DEMO=0 makes no demo.`)}`,
    '',
  ].join('\n')
}
