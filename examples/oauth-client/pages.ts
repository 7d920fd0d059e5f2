import type { ListedTask } from './docket.ts'

/** The open tasks of a person. */
export const tasksPage = (tasks: readonly ListedTask[]): string =>
  page(`<h1>Your open tasks</h1>
<ul>${tasks.map(row).join('')}</ul>
<form method="post" action="/sign-out"><button>Sign out</button></form>`)

export const signInPage = (): string =>
  page('<h1>Your open tasks</h1><p><a href="/sign-in">Sign in with Docket</a></p>')

export const failurePage = (why: string): string =>
  page(`<h1>Something went wrong</h1><p>${escaped(why)}</p><p><a href="/">Start over</a></p>`)

const row = ({ short_id, title, due_date }: ListedTask) =>
  `<li><b>${escaped(short_id)}</b> ${escaped(title)} ${escaped(due_date ?? '')}</li>`

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tasks</title><body>${body}</body></html>`

const escaped = (text: string) => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
