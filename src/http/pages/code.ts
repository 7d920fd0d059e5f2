import { type Html, html } from './html.ts'

/** A block of code with its quoted texts and names told apart. The script adds a copy button to it. */
export function code(text: string, label: string): Html {
  return html`<figure class="code" aria-label="${label}"><pre><code>${coloured(text)}</code></pre></figure>`
}

const PARTS =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:)|^curl|^HTTP\/1\.1 \d+|^[A-Za-z-]+(?=: ))|("(?:[^"\\\n]|\\.)*"|'[^']*')/gm

function coloured(text: string): Html {
  const parts: Html[] = []
  let end = 0
  for (const { 0: found, 1: name, index } of text.matchAll(PARTS)) {
    parts.push(
      html`${text.slice(end, index)}${name ? html`<b>${found}</b>` : html`<i>${found}</i>`}`,
    )
    end = index + found.length
  }
  return html`${parts}${text.slice(end)}`
}
