<?php
/**
 * Receives webhooks: verifies each one, answers at once, handles each event once. PHP 8.1, no extension.
 *
 *     SIGNING_SECRETS=whsec_… php -S 127.0.0.1:4000 receiver.php
 *
 * While you change over to a new secret, give both, separated by a comma.
 */
declare(strict_types=1);

const WINDOW_SECONDS = 300;

/** True when one of the signatures fits these very bytes, and the timestamp is at most five minutes off. */
function isGenuine(string $header, string $rawBody, array $secrets, int $now): bool
{
    $timestamp = '';
    $given = [];
    foreach (explode(',', $header) as $field) {
        [$name, $value] = explode('=', trim($field), 2) + ['', ''];
        if ($name === 't' && $timestamp === '') {
            $timestamp = $value;
        } elseif ($name === 'v1') {
            $given[] = $value;
        }
    }
    if (!preg_match('/^[0-9]{1,12}\z/', $timestamp) || abs($now - (int) $timestamp) > WINDOW_SECONDS) {
        return false;
    }
    $genuine = false;
    foreach ($secrets as $secret) {
        $expected = hash_hmac('sha256', "$timestamp.$rawBody", $secret);
        foreach ($given as $signature) {
            $genuine = hash_equals($expected, $signature) || $genuine;
        }
    }
    return $genuine;
}

/** What is left of a setting: with an empty secret, anybody could sign. */
function secretsOf(string $setting): array
{
    return array_values(array_filter(array_map('trim', explode(',', $setting)), fn ($secret) => $secret !== ''));
}

/** True for the first one with this key. In your database: a unique key, inserted in the transaction that stores the event. */
function isNew(string $subject, string $event): bool
{
    $folder = getenv('SEEN_DIR') ?: sys_get_temp_dir() . '/webhooks-seen';
    if (!is_dir($folder)) {
        @mkdir($folder, 0700, true);
    }
    return @fopen($folder . '/' . hash('sha256', json_encode([$subject, $event])), 'x') !== false;
}

function handle(array $event): void
{
    file_put_contents('php://stderr', "handled {$event['event']} " . ($event['tradeSessionId'] ?? '') . "\n");
}

function receive(): void
{
    $rawBody = file_get_contents('php://input');
    $secrets = secretsOf(getenv('SIGNING_SECRETS') ?: '');
    if ($secrets === []) { // PHP starts anew with every request: this is its start
        file_put_contents('php://stderr', "SIGNING_SECRETS is missing: the signing secret of the account\n");
        http_response_code(500);
        return;
    }
    if (!isGenuine($_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? '', $rawBody, $secrets, time())) {
        http_response_code(400);
        return;
    }
    $event = json_decode($rawBody, true, 512, JSON_THROW_ON_ERROR);
    $isNew = isNew($event['tradeSessionId'] ?? $_SERVER['HTTP_X_SERVICE_EVENT_ID'], $event['event']);
    http_response_code(204);
    if (function_exists('fastcgi_finish_request')) {
        fastcgi_finish_request(); // the answer leaves before the work begins
    }
    if ($isNew) {
        handle($event);
    }
}

/** Lines of time, secrets, header and body (both in base64): says of each whether it is genuine. */
function checkVectors(): void
{
    while (($line = fgets(STDIN)) !== false) {
        [$now, $secrets, $header, $body] = explode("\t", rtrim($line, "\n"));
        $genuine = isGenuine(base64_decode($header), base64_decode($body), secretsOf($secrets), (int) $now);
        echo $genuine ? "genuine\n" : "refused\n";
    }
}

if (PHP_SAPI === 'cli') {
    checkVectors();
} else {
    receive();
}
