// A stand-in for `nvidia-smi` on a machine without a card: it prints what the real program prints for the queries of the
// engine. A process "allocates" memory by writing `<pid> <card> <MiB>` to a file of `apps`; ended processes count nothing.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type StandInCard = { id: string; name: string; mebibytes: number }

export type StandInSmi = { path: string; apps: string; remove: () => void }

const header = `+-----------------------------------------------------------------------------------------+
| NVIDIA-SMI 580.159.03             Driver Version: 580.159.03     CUDA Version: 13.0     |
`

const script = (root: string) => `#!/bin/sh
root='${root}'
live() {
  for app in "$root"/apps/*; do
    [ -e "$app" ] || continue
    read -r pid card mib < "$app"
    [ -d "/proc/$pid" ] && echo "$pid $card $mib"
  done
}
case "$*" in
  *--query-compute-apps=*) live | while read -r pid card mib; do echo "$pid, $card, $mib"; done ;;
  *--query-gpu=*)
    index=0
    while IFS='|' read -r card name total; do
      used=4
      for mib in $(live | while read -r pid on mib; do [ "$on" = "$card" ] && echo "$mib"; done); do used=$((used + mib)); done
      echo "$index, $card, $name, $total, $used, 37, 41, 76.53, 580.159.03"
      index=$((index + 1))
    done < "$root/cards" ;;
  *) while IFS= read -r line; do echo "$line"; done < "$root/header" ;;
esac
`

export const createStandInSmi = (cards: readonly StandInCard[]): StandInSmi => {
  const root = mkdtempSync(join(tmpdir(), 'millrace-smi-'))
  const apps = join(root, 'apps')
  mkdirSync(apps)
  // Apps run as another user.
  chmodSync(root, 0o755)
  chmodSync(apps, 0o777)
  writeFileSync(join(root, 'cards'), cards.map(({ id, name, mebibytes }) => `${id}|${name}|${mebibytes}\n`).join(''))
  writeFileSync(join(root, 'header'), header)
  writeFileSync(join(root, 'nvidia-smi'), script(root))
  chmodSync(join(root, 'nvidia-smi'), 0o755)
  return {
    path: `${root}:${process.env.PATH ?? ''}`,
    apps,
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

export const h200 = (index: number): StandInCard => ({
  id: `GPU-7c9e6679-7425-40de-944b-e07fc1f9007${index}`,
  name: 'NVIDIA H200',
  mebibytes: 143_771,
})
