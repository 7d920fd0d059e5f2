import { type Html, html } from './html.ts'

/** A section of a page: gutter, heading, text, and code beside it on wide screens. */
export function pageSection(section: {
  id: string
  gutter?: Html | string
  heading: Html
  text: Html | (Html | '')[]
  aside?: Html | Html[]
}): Html {
  const { id, gutter, heading, text, aside } = section
  return html`
<section class="entry" id="${id}">
<div class="text"><div class="line top"><div class="gut">${gutter}</div>${heading}</div>
${text}</div>
${aside && html`<div class="aside">${aside}</div>`}
</section>`
}

/** Text aligned to the right of the gutter. */
export const proseBlock = (text: Html | Html[]): Html => html`<div class="in prose">${text}</div>`

/** A heading within a section, with a word or a number in the gutter. */
export const subheading = (title: string, gutter: string | number = ''): Html =>
  html`<div class="band"><div class="gut">${gutter}</div><h4>${title}</h4></div>`

/** A row of a definition list: gutter, name and description. */
export interface DefinitionRow {
  readonly id?: string
  readonly gutter?: Html | string | number | false | undefined
  readonly name: Html
  readonly text: Html | string
}

/** A definition list. */
export function definitionList(list: readonly DefinitionRow[]): Html {
  return html`<dl class="rows">${list.map(
    ({ id, gutter, name, text }) => html`
<div class="row"${id && html` id="${id}"`}><dt><span class="gut">${gutter} </span><span class="name">${name}</span></dt><dd>${text}</dd></div>`,
  )}</dl>`
}
