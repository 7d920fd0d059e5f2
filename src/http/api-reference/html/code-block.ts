import { type Html, html } from './html.ts'

/** Renders code with highlighted strings and names. The script of the page adds a copy button. */
export function codeBlock(text: string, label: string): Html {
  return html`<figure class="code" aria-label="${label}"><pre><code>${highlight(text)}</code></pre></figure>`
}

const TOKENS =
  /("(?:[^"\\\n]|\\.)*"(?=\s*:)|^curl|^HTTP\/1\.1 \d+|^[A-Za-z-]+(?=: ))|("(?:[^"\\\n]|\\.)*"|'[^']*')/gm

function highlight(text: string): Html {
  const parts: Html[] = []
  let end = 0
  for (const { 0: token, 1: name, index } of text.matchAll(TOKENS)) {
    parts.push(
      html`${text.slice(end, index)}${name ? html`<b>${token}</b>` : html`<i>${token}</i>`}`,
    )
    end = index + token.length
  }
  return html`${parts}${text.slice(end)}`
}
