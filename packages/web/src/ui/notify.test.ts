// Guards: notices queued before their renderer is loaded are shown afterwards, once and in order.
import { beforeEach, expect, it } from 'vitest'
import { notify, notifyProblem, onFirstNotice, type ScreenNotice, showNotices, showNoticesBy } from './notify.ts'

const shown: ScreenNotice[] = []
const words = () => shown.map((notice) => notice.words)

beforeEach(() => {
  shown.length = 0
})

it('waits for what shows it, asks for that, and loses nothing', () => {
  notify('early')
  let asked = 0
  const forget = onFirstNotice(() => {
    asked += 1
  })
  notify('later')
  expect([asked, words()]).toEqual([2, []])
  const stop = showNoticesBy((notice) => shown.push(notice))
  expect(words()).toEqual(['early', 'later'])
  notify('now')
  expect([asked, words()]).toEqual([2, ['early', 'later', 'now']])
  stop()
  forget()
})

it('says why something did not work, and names a warning so that it stands there once', () => {
  const stop = showNoticesBy((notice) => shown.push(notice))
  notifyProblem(new Error('the stone is cracked'))
  showNotices([
    { level: 'warning', code: 'no_engine', message: 'Nothing runs' },
    { level: 'info', code: 'unknown_filter', message: 'for programs' },
  ])
  expect(shown).toMatchObject([
    { kind: 'error', words: 'Something went wrong', description: 'the stone is cracked' },
    { kind: 'warning', words: 'Nothing runs', id: 'no_engine Nothing runs' },
  ])
  stop()
})
