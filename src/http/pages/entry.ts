import { type Html, html } from './html.ts'

/** A stretch of a page: something in the gutter, a heading, text, and code beside it where it is wide. */
export function entry(part: {
  id: string
  gutter?: Html | string
  heading: Html
  text: Html | (Html | '')[]
  aside?: Html | Html[]
}): Html {
  const { id, gutter, heading, text, aside } = part
  return html`
<section class="entry" id="${id}">
<div class="text"><div class="line top"><div class="gut">${gutter}</div>${heading}</div>
${text}</div>
${aside && html`<div class="aside">${aside}</div>`}
</section>`
}

/** Text that starts right of the gutter. */
export const prose = (text: Html | Html[]): Html => html`<div class="in prose">${text}</div>`

/** A heading within an entry, with a word or a number about it in the gutter. */
export const band = (title: string, gutter: string | number = ''): Html =>
  html`<div class="band"><div class="gut">${gutter}</div><h4>${title}</h4></div>`

/** One row of a ruled list: a word in the gutter, a name, and what is to be said of it. */
export interface Row {
  readonly id?: string
  readonly gutter?: Html | string | number | false | undefined
  readonly name: Html
  readonly text: Html | string
}

/** A ruled list of names and what they mean. */
export function rows(list: readonly Row[]): Html {
  return html`<dl class="rows">${list.map(
    ({ id, gutter, name, text }) => html`
<div class="row"${id && html` id="${id}"`}><dt><span class="gut">${gutter} </span><span class="name">${name}</span></dt><dd>${text}</dd></div>`,
  )}</dl>`
}
