// The sidebar works without this script as a list of links. It adds the search, and highlights the
// section that is being read.

const MAX_RESULTS = 20

/** How much a word counts where it occurs. */
const WEIGHTS = [
  ['title', 10],
  ['keywords', 9],
  ['page', 3],
  ['words', 2],
]

const SEPARATORS = /[\s,;:()]+/

/** Words that say nothing about what is searched. */
const STOP_WORDS = new Set(['a', 'an', 'the', 'of', 'to', 'in', 'on', 'how', 'do', 'i', 'with'])

const contents = document.getElementById('contents')
const search = document.getElementById('docs-search')
const results = document.getElementById('docs-results')
const count = contents.querySelector('.count')
const groups = [...contents.querySelectorAll('.group')]

/** The search index, requested when the search is first used. */
let index

search.closest('.find').hidden = false
search.addEventListener('focus', loadIndex)
search.addEventListener('input', showResults)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  if (!search.checkVisibility()) contents.showPopover()
  search.focus()
  search.select()
})
contents.addEventListener('keydown', (event) => {
  if (event.key === 'Escape' && search.value) {
    // The first Escape clears; only the second may close the contents.
    event.preventDefault()
    search.value = ''
    search.focus()
    showResults()
  } else if (event.key === 'Enter' && event.target === search) {
    results.querySelector('a')?.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    moveFocus(event)
  }
})
contents.addEventListener('click', (event) => {
  if (!event.target.closest('a')) return
  if (contents.matches(':popover-open')) contents.hidePopover()
})
markReading()

/** Moves from the search through its results and back. */
function moveFocus(event) {
  const stops = [search, ...results.querySelectorAll('a')]
  const at = stops.indexOf(document.activeElement)
  const next = stops[at + (event.key === 'ArrowDown' ? 1 : -1)]
  if (at < 0 || !next) return
  event.preventDefault()
  next.focus()
}

function loadIndex() {
  index ??= fetch('/docs/search.json').then((reply) => {
    if (!reply.ok) throw new Error(`The search index replied ${reply.status}`)
    return reply.json()
  })
  index.catch(() => {
    index = undefined
  })
  return index
}

async function showResults() {
  const query = search.value
  const typed = query.toLowerCase().split(/\s+/).filter(Boolean)
  const telling = typed.filter((word) => !STOP_WORDS.has(word))
  const words = telling.length > 0 ? telling : typed
  let found = []
  let failure = ''
  if (words.length > 0) {
    try {
      found = findEntries(await loadIndex(), words)
    } catch {
      failure = 'The search is not available.'
    }
  }
  // Another key was pressed while the index was loading.
  if (query !== search.value) return
  results.replaceChildren(...found.slice(0, MAX_RESULTS).map(resultItem))
  results.hidden = found.length === 0
  for (const group of groups) group.hidden = words.length > 0 && failure === ''
  count.textContent = words.length === 0 ? '' : failure || countResults(found.length)
}

/** Entries in which every word of the query occurs, the best match first. */
function findEntries(entries, words) {
  return entries
    .map((entry) => ({ entry, score: scoreEntry(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
}

/** How much an entry matches the words; 0 if one of them does not occur in it. */
function scoreEntry(entry, words) {
  const scores = words.map((word) =>
    Math.max(...WEIGHTS.map(([field, weight]) => weight * matchWord(entry[field] ?? '', word))),
  )
  if (scores.includes(0)) return 0
  const phrase = words.join(' ')
  const title = entry.title.toLowerCase()
  const phraseScore =
    (title === phrase ? 10 : 0) +
    (` ${title} `.includes(` ${phrase} `) ? 3 : 0) +
    (` ${entry.keywords?.toLowerCase()} `.includes(` ${phrase} `) ? 5 : 0)
  const sum = scores.reduce((total, score) => total + score, phraseScore)
  // Of two titles that match equally, the shorter one says less of something else.
  return Math.max(sum - title.split(' ').length / 10, 0.01)
}

/** 1 for a whole word, less for its beginning, little for a part of it, and 0 for none. */
function matchWord(text, word) {
  const found = text.toLowerCase().split(SEPARATORS)
  if (found.includes(word)) return 1
  const stem = word.length > 3 ? word.replace(/s$/, '') : word
  if (found.some((one) => one.startsWith(stem))) return 0.7
  return found.some((one) => one.includes(stem)) ? 0.2 : 0
}

function countResults(number) {
  if (number === 0) return 'No results.'
  if (number > MAX_RESULTS) return `The first ${MAX_RESULTS} of ${number} results.`
  return number === 1 ? '1 result.' : `${number} results.`
}

function resultItem({ title, page, href }) {
  const [item, link, label, place] = ['li', 'a', 'span', 'span'].map((tag) =>
    document.createElement(tag),
  )
  link.href = href
  label.className = 'lbl'
  label.textContent = title
  place.className = 'n'
  place.textContent = page
  link.append(label, place)
  item.append(link)
  return item
}

function markReading() {
  const links = [...contents.querySelectorAll('li a')]
  const byId = new Map(
    links
      .filter((link) => link.hash && link.pathname === location.pathname)
      .map((link) => [link.hash.slice(1), link]),
  )
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
