// The service of the daemon: a systemd user unit or a launchd agent. Pure.

export type Service = {
  /** The path below the home folder. */
  readonly path: string
  readonly content: string
  readonly enable: readonly (readonly string[])[]
  readonly disable: readonly (readonly string[])[]
  /** Runs after the file is removed. */
  readonly forget: readonly (readonly string[])[]
}

export type ServiceParts = {
  command: readonly string[]
  env: Readonly<Record<string, string>>
  home: string
  platform: NodeJS.Platform
}

const label = 'dev.millrace.remote'

/** Escapes quotes, backslashes and percent signs for systemd. */
const quoted = (word: string): string =>
  `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`

/** Commands also need escaped dollar signs. */
const word = (text: string): string => quoted(text).replaceAll('$', '$$$$')

const reload = ['systemctl', '--user', 'daemon-reload']

const systemd = ({ command, env, home }: ServiceParts): Service => ({
  path: `${home}/.config/systemd/user/millrace-remote.service`,
  content: `[Unit]
Description=Millrace remote
After=network-online.target

[Service]
ExecStart=${command.map(word).join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  .join('')}Restart=on-failure
RestartSec=5
# Commands outlive a restart of the daemon; it finds them again.
KillMode=process

[Install]
WantedBy=default.target
`,
  enable: [reload, ['systemctl', '--user', 'enable', '--now', 'millrace-remote.service']],
  disable: [['systemctl', '--user', 'disable', '--now', 'millrace-remote.service']],
  forget: [reload],
})

const xml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const launchd = ({ command, env, home }: ServiceParts): Service => {
  const path = `${home}/Library/LaunchAgents/${label}.plist`
  const pairs = Object.entries(env)
  return {
    path,
    content: `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${label}</string>
  <key>ProgramArguments</key>
  <array>
${command.map((word) => `    <string>${xml(word)}</string>`).join('\n')}
  </array>
  <key>EnvironmentVariables</key>
  <dict>
${pairs.map(([name, value]) => `    <key>${xml(name)}</key><string>${xml(value)}</string>`).join('\n')}
  </dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`,
    enable: [['launchctl', 'load', '-w', path]],
    disable: [['launchctl', 'unload', '-w', path]],
    forget: [],
  }
}

/** Null on other systems. */
export const serviceFor = (parts: ServiceParts): Service | null => {
  if (parts.platform === 'linux') return systemd(parts)
  return parts.platform === 'darwin' ? launchd(parts) : null
}
