// The pages work without this file. It adds copy buttons, a filter for the contents, and a mark there
// for what is being read.

const contents = document.getElementById('contents')
const filter = document.getElementById('filter')
const links = [...(contents?.querySelectorAll('li a') ?? [])]

for (const figure of document.querySelectorAll('figure.code')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.setAttribute('aria-label', `Copy: ${figure.getAttribute('aria-label')}`)
  button.addEventListener('click', () => copy(figure.querySelector('code'), button))
  figure.append(button)
}

async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = 'Copied'
  } catch {
    // Without https there is no clipboard; the selected text can still be copied by hand.
    getSelection()?.selectAllChildren(code)
    button.textContent = 'Selected'
  }
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 1500)
}

if (contents && filter) {
  filter.closest('.find').hidden = false
  filter.addEventListener('input', narrow)
  filter.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') links.find((link) => !link.parentElement.hidden)?.click()
    if (event.key !== 'Escape' || !filter.value) return
    // The first Escape clears; only the second may close the contents.
    event.preventDefault()
    filter.value = ''
    narrow()
  })
  document.addEventListener('keydown', (event) => {
    const writing = event.target.closest?.('input, textarea, select, [contenteditable]')
    if (event.key !== '/' || writing || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    if (!filter.checkVisibility()) contents.showPopover()
    filter.focus()
    filter.select()
  })
  contents.addEventListener('click', (event) => {
    if (event.target.closest('a') && contents.matches(':popover-open')) contents.hidePopover()
  })
  markReading()
}

function narrow() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean)
  let found = 0
  for (const group of contents.querySelectorAll('.group')) {
    const title = group.querySelector('h2').textContent
    let open = false
    for (const link of group.querySelectorAll('li a')) {
      const text = `${title} ${link.textContent} ${link.dataset.find ?? ''}`.toLowerCase()
      const fits = words.every((word) => text.includes(word))
      link.parentElement.hidden = !fits
      open ||= fits
      found += fits ? 1 : 0
    }
    group.hidden = !open
  }
  contents.querySelector('.none').textContent = found === 0 ? 'Nothing of that name.' : ''
}

function markReading() {
  const byId = new Map(links.map((link) => [link.hash.slice(1), link]))
  const sections = [...document.querySelectorAll('.entry, .row[id]')].filter((part) =>
    byId.has(part.id),
  )
  const seen = new Set()
  let marked
  const watch = new IntersectionObserver(
    (changes) => {
      for (const { target, isIntersecting } of changes) {
        if (isIntersecting) seen.add(target)
        else seen.delete(target)
      }
      const first = sections.find((section) => seen.has(section))
      const link = first && byId.get(first.id)
      if (!link || link === marked) return
      marked?.removeAttribute('aria-current')
      link.setAttribute('aria-current', 'location')
      marked = link
      const { top, bottom } = link.getBoundingClientRect()
      if (top < 60 || bottom > innerHeight - 20) contents.scrollTo({ top: link.offsetTop - 160 })
    },
    { rootMargin: '-80px 0px -60% 0px' },
  )
  for (const section of sections) watch.observe(section)
}

const signature = document.getElementById('signature')

// Without https there is no way to compute it; the example then stays as it was sent.
if (signature && globalThis.crypto.subtle) {
  const fields = ['body', 'secret'].map((id) => document.getElementById(id))
  for (const field of fields) {
    field.readOnly = false
    field.addEventListener('input', sign)
  }
  document.querySelector('.live').hidden = false

  async function sign() {
    const [body, secret] = fields.map(({ value }) => new TextEncoder().encode(value))
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    if (secret.length === 0) return signature.replaceChildren('')
    const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
    const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, body))
    signature.replaceChildren(bytes.toHex?.() ?? [...bytes].map(twoDigits).join(''))
  }
}

function twoDigits(byte) {
  return byte.toString(16).padStart(2, '0')
}
