// Without this script the languages of a sample are a list of which the first one is open. It makes
// tabs of them, and remembers the chosen language for all samples and for later visits.

const STORAGE_KEY = 'docket-docs-language'

/** The groups of tabs on this page. */
const groups = [...document.querySelectorAll('.samples')].map(createTabs)

choose(readChoice())

/** Replaces the list by tabs and their panels. */
function createTabs(samples) {
  const list = document.createElement('div')
  list.setAttribute('role', 'tablist')
  list.setAttribute('aria-label', samples.getAttribute('aria-label'))
  samples.removeAttribute('aria-label')
  const tabs = [...samples.querySelectorAll('details')].map((details) => {
    const { language } = details.dataset
    const [tab, panel] = [document.createElement('button'), document.createElement('div')]
    tab.type = 'button'
    tab.id = `${samples.id}-${language}-tab`
    tab.textContent = details.querySelector('summary').textContent
    tab.setAttribute('role', 'tab')
    tab.setAttribute('aria-controls', `${samples.id}-${language}`)
    panel.id = `${samples.id}-${language}`
    panel.setAttribute('role', 'tabpanel')
    panel.setAttribute('aria-labelledby', tab.id)
    panel.append(details.querySelector('figure'))
    details.replaceWith(panel)
    list.append(tab)
    tab.addEventListener('click', () => chooseAt(tab, language))
    return { language, tab, panel }
  })
  samples.prepend(list)
  list.addEventListener('keydown', (event) => moveFocus(event, tabs))
  return tabs
}

/** Arrow keys move to the next tab and select it, as in the ARIA Authoring Practices. */
function moveFocus(event, tabs) {
  const at = tabs.findIndex(({ tab }) => tab === event.target)
  const places = {
    ArrowRight: (at + 1) % tabs.length,
    ArrowLeft: (at + tabs.length - 1) % tabs.length,
    Home: 0,
    End: tabs.length - 1,
  }
  const next = tabs[places[event.key]]
  if (at === -1 || !next || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  next.tab.focus({ preventScroll: true })
  chooseAt(next.tab, next.language)
}

/** The samples above change their height, too: the tab stays where the reader has it. */
function chooseAt(tab, language) {
  const top = tab.getBoundingClientRect().top
  choose(language)
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' })
  try {
    localStorage.setItem(STORAGE_KEY, language)
  } catch {
    // Browsers may deny storage; then the choice lasts as long as the page.
  }
}

/** Shows a language in all groups that have it, and otherwise their first one. */
function choose(language) {
  for (const tabs of groups) {
    const chosen = tabs.find((one) => one.language === language) ?? tabs[0]
    for (const one of tabs) {
      const isChosen = one === chosen
      one.tab.setAttribute('aria-selected', String(isChosen))
      one.tab.tabIndex = isChosen ? 0 : -1
      one.panel.hidden = !isChosen
    }
  }
}

function readChoice() {
  try {
    return localStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}
