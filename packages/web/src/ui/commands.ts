// Every command line that the console shows. A test parses each of them with the parser of the CLI. Pure.

const singleQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** `server` is the origin of the server, such as `https://mill.example`. */
export const commandsFor = (server: string) => {
  const install = `npm install --global ${server}/cli/millrace.tgz`
  const login = `millrace login --api ${server}`
  const onNewMachine = (...lines: readonly string[]): string => [install, login, ...lines].join('\n')
  return {
    startEngine: onNewMachine('millrace engine start --name my-machine'),
    startRemote: onNewMachine('millrace remote start --name my-laptop --exec'),
    createApp: onNewMachine('millrace app create my-app', 'millrace deploy my-app'),
    deployApp: 'millrace deploy',
    publishArtifact: 'millrace artifact create report.md',
    startBroker: 'millrace broker command',
    runApp: (app: string, input: unknown): string =>
      `millrace run ${app} --input ${singleQuoted(JSON.stringify(input))} --wait --api ${server}`,
  }
}
